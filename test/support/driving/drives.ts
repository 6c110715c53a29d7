import type {
  DrivePosition,
  DriveReading,
} from '../../../shared/resources/work-orders/driven/measure-drive.js';

/** One mile to the north, in degrees of latitude. */
const MILE = 180 / (Math.PI * 3958.8);

/** A leg of a drive along a meridian. With 0 mph the truck is parked. */
export interface Leg {
  minutes: number;
  mph: number;
}

/** 10 miles to the vehicle, 20 minutes there, 15 miles with it, 10 minutes to unload. */
export const TOW_LEGS: readonly Leg[] = [
  { minutes: 20, mph: 30 },
  { minutes: 20, mph: 0 },
  { minutes: 30, mph: 30 },
  { minutes: 10, mph: 0 },
];

/**
 * Adds what an odometer shows at each position. It counts more than the straight line, as roads do.
 */
export function addReadings(
  positions: readonly DrivePosition[],
  {
    share = 1.04,
    startMiles = 48_000.2,
    ...members
  }: { share?: number; startMiles?: number } & Partial<DriveReading> = {},
): DrivePosition[] {
  const [start] = positions;
  return positions.map((position) => {
    const driven = ((position.lat - (start?.lat ?? 0)) / MILE) * share;
    const miles = Math.round((startMiles + driven) * 100) / 100;
    const reading: DriveReading = {
      miles,
      source: 'obd',
      connectionId: 'one',
      atMs: position.atMs,
      ...members,
    };
    return { ...position, reading };
  });
}

/** Drives a truck north and returns its positions: one every half minute, both ends included. */
export function driveNorth(legs: readonly Leg[], { startMs = 0, everySeconds = 30 } = {}): DrivePosition[] {
  const positions: DrivePosition[] = [];
  let [lat, atMs] = [40, startMs];
  for (const { minutes, mph } of legs)
    for (let seconds = 0; seconds < minutes * 60; seconds += everySeconds) {
      positions.push({ lat, lng: -74, speedMph: mph, atMs });
      lat += ((mph * everySeconds) / 3_600) * MILE;
      atMs += everySeconds * 1_000;
    }
  return [...positions, { lat, lng: -74, speedMph: legs.at(-1)?.mph ?? 0, atMs }];
}
