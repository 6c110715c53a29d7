import type { WorkOrder } from '../../../../api/records';
import { nameTruck } from '../../../../parts/choices/name-truck';
import type { BoardTruck } from '../../board/board-truck';

/** A known position on the map and in its table. */
export interface Position {
  id: string;
  kind: 'truck' | 'pickup';
  name: string;
  lat: number;
  lng: number;
  /** The truck's status, or the pickup's address. */
  detail: string;
  /** Time at which the truck reported this position. Null for a pickup, which does not move. */
  at: string | null;
  /** True if the truck's position is older than five minutes. */
  isOld: boolean;
}

/** Maximum number of waiting pickups on the map. The most urgent come first. */
const MAX_PICKUPS = 50;

/** Returns the positions of the trucks, and of the pickups that wait for a truck. */
export function findPositions(trucks: readonly BoardTruck[], waiting: readonly WorkOrder[]): Position[] {
  const ofTrucks = trucks.flatMap((truck): Position[] => {
    const { id, location, status } = truck;
    if (!location) return [];
    const { lat, lng, at, stale: isOld } = location;
    return [{ id, kind: 'truck', name: nameTruck(truck), lat, lng, detail: status, at, isOld }];
  });
  const ofPickups = waiting.slice(0, MAX_PICKUPS).flatMap(({ id, job_number: name, pickup }): Position[] => {
    const { lat, lng, address } = pickup;
    if (lat === null || lng === null) return [];
    return [{ id, kind: 'pickup', name, lat, lng, detail: address ?? '', at: null, isOld: false }];
  });
  return [...ofTrucks, ...ofPickups];
}

/** Returns the numbers of positions for the map's name: "2 trucks and 1 waiting pickups". */
export function countPositions(positions: readonly Position[]): string {
  const trucks = positions.filter(({ kind }) => kind === 'truck').length;
  return `${trucks} trucks and ${positions.length - trucks} waiting pickups`;
}

export interface Drawing {
  /** The coordinates of each position in the drawing. */
  points: { position: Position; x: number; y: number; isNamed: boolean }[];
  /** The scale bar. */
  scale: { miles: number; length: number };
}

/** The size of a name in the drawing. If two names would overlap, only the first is drawn. */
const NAME_WIDTH = 26;
const NAME_HEIGHT = 9;

const MILES_PER_DEGREE = 69;
const SCALES_MILES = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];

/**
 * Projects positions onto a drawing of the given size, with north at the top. A degree of longitude
 * gets narrower towards the poles. The projection corrects this with one factor, which is exact
 * enough for a town.
 */
export function drawPositions(
  positions: readonly Position[],
  { width, height, margin }: { width: number; height: number; margin: number },
): Drawing {
  const lats = positions.map(({ lat }) => lat);
  const lngs = positions.map(({ lng }) => lng);
  const [south, north, west, east] = [
    Math.min(...lats),
    Math.max(...lats),
    Math.min(...lngs),
    Math.max(...lngs),
  ];
  const milesPerLng = MILES_PER_DEGREE * Math.cos((((south + north) / 2) * Math.PI) / 180);
  const across = Math.max((east - west) * milesPerLng, 0.05);
  const down = Math.max((north - south) * MILES_PER_DEGREE, 0.05);
  const unitsPerMile = Math.min((width - 2 * margin) / across, (height - 2 * margin) / down);
  const left = (width - across * unitsPerMile) / 2;
  const top = (height - down * unitsPerMile) / 2;
  const points: Drawing['points'] = [];
  for (const position of positions) {
    const x = left + (position.lng - west) * milesPerLng * unitsPerMile;
    const y = top + (north - position.lat) * MILES_PER_DEGREE * unitsPerMile;
    const isCrowded = points.some(
      (other) => other.isNamed && Math.abs(other.x - x) < NAME_WIDTH && Math.abs(other.y - y) < NAME_HEIGHT,
    );
    points.push({ position, x, y, isNamed: position.kind === 'truck' && !isCrowded });
  }
  const miles = SCALES_MILES.findLast((each) => each * unitsPerMile <= width / 3) ?? 0.1;
  return { points, scale: { miles, length: miles * unitsPerMile } };
}
