import type { DrivePosition } from '../../../shared/resources/work-orders/driven/measure-drive.js';

/** One mile to the north, in degrees of latitude. */
const MILE = 180 / (Math.PI * 3958.8);

/** A leg of a drive along a meridian. With 0 mph the truck is parked. */
export interface Leg {
  minutes: number;
  mph: number;
}

/** Drives a truck north and returns its positions: one every half minute, both ends included. */
export function driveNorth(legs: readonly Leg[], startMs = 0): DrivePosition[] {
  const positions: DrivePosition[] = [];
  let [lat, atMs] = [40, startMs];
  for (const { minutes, mph } of legs)
    for (let nth = 0; nth < minutes * 2; nth += 1) {
      positions.push({ lat, lng: -74, speedMph: mph, atMs });
      lat += (mph / 120) * MILE;
      atMs += 30_000;
    }
  return [...positions, { lat, lng: -74, speedMph: legs.at(-1)?.mph ?? 0, atMs }];
}
