import type { OpenConnection } from '../contract/connection.js';
import type { PositionPage, VehicleOdometer, VehiclePosition } from '../contract/telematics.js';
import { isObject, readId, readTime, type Unread } from '../contract/values/read-values.js';
import { readHeading, readMph, readOdometer, readPlace } from '../contract/values/vehicle-values.js';
import { readPage } from './api/client.js';

/**
 * A position may reach Motive later than newer ones of other vehicles. So a poll also returns those
 * that are older by this much than the newest one of the poll before.
 */
const OVERLAP_MS = 2 * 60_000;
/** Positions that come even later are returned by a poll of all positions, once in this time. */
const ALL_EVERY_MS = 5 * 60_000;
/** Maximum number of vehicles with a clock that is ahead. Further ones are left out. */
const MAX_AHEAD = 100;
/** A clock that is ahead by less is right. */
const AHEAD_MS = 60_000;

interface LocatedVehicle {
  id: number;
  current_location: unknown;
}

interface Location {
  lat: number;
  lon: number;
  located_at: string;
  bearing?: number;
  speed?: number;
  /** What Motive calculates. */
  odometer?: number | null;
  /** What the vehicle's own odometer shows. */
  true_odometer?: number | null;
}

/** A position with what the odometer showed there. */
type LocatedPosition = VehiclePosition & { odometer: Pick<VehicleOdometer, 'miles' | 'source'> | null };

/** The place in the polls of the current positions. */
interface Place {
  page: number;
  /** The newest time that the poll before has seen. Null if this poll returns all positions. */
  newest: string | null;
  /** The newest time that this poll has seen on its pages so far. */
  seen: string | null;
  /** The start of the last poll of all positions. */
  allAt: string;
  /** The times of vehicles whose clock is ahead. Each such position is returned once. */
  ahead: Readonly<Record<string, string>>;
}

/**
 * Polls the current position of each vehicle. Motive returns those of vehicles that stand still
 * again and again, so the cursor has the newest time that was seen.
 */
export async function pullPositions(
  connection: OpenConnection,
  cursor: string | null,
): Promise<PositionPage> {
  const place = startPage(cursor);
  const list = { path: '/v1/vehicle_locations', list: 'vehicles', item: 'vehicle' };
  const page = await readPage<LocatedVehicle>(connection, list, place.page);
  const latest = Date.now() + AHEAD_MS;
  const all = page.rows.flatMap(toPosition);
  const known = all.filter(({ at }) => Date.parse(at) <= latest);
  const ahead = all.filter(({ at }) => Date.parse(at) > latest);
  const since = place.newest === null ? Number.NEGATIVE_INFINITY : Date.parse(place.newest) - OVERLAP_MS;
  const seen = [place.seen, ...known.map(({ at }) => at)].reduce(findLater, null);
  const next: Place = {
    ...place,
    page: page.next ?? 1,
    newest: page.next === null ? (seen ?? place.newest) : place.newest,
    seen: page.next === null ? null : seen,
    ahead: rememberAhead(place.ahead, { known, ahead }),
  };
  const located = [
    ...known.filter(({ at }) => Date.parse(at) >= since),
    ...ahead.filter(({ externalId, at }) => {
      return place.ahead[externalId] !== at && next.ahead[externalId] === at;
    }),
  ];
  const positions = located.map(({ odometer: _, ...position }) => position);
  const odometers = located.flatMap(({ externalId, at, odometer }) =>
    odometer === null ? [] : [{ externalId, ...odometer, at }],
  );
  return { positions, odometers, cursor: JSON.stringify(next), isLast: page.next === null };
}

function startPage(cursor: string | null): Place {
  const now = new Date().toISOString();
  const first: Place = { page: 1, newest: null, seen: null, allAt: now, ahead: {} };
  if (cursor === null) return first;
  const place = JSON.parse(cursor) as Place;
  const isDue = place.page === 1 && Date.parse(now) - Date.parse(place.allAt) >= ALL_EVERY_MS;
  return isDue ? { ...place, newest: null, allAt: now } : place;
}

/** Times of one form, so their texts compare as they do. */
function findLater(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b > a) ? b : a;
}

function rememberAhead(
  remembered: Place['ahead'],
  { known, ahead }: Record<'known' | 'ahead', readonly VehiclePosition[]>,
): Place['ahead'] {
  const right = new Set(known.map(({ externalId }) => externalId));
  const kept = Object.entries(remembered).filter(([externalId]) => !right.has(externalId));
  const times = ahead.map(({ externalId, at }): [string, string] => [externalId, at]);
  return Object.fromEntries(Object.entries(Object.fromEntries([...kept, ...times])).slice(0, MAX_AHEAD));
}

function toPosition(vehicle: Unread<LocatedVehicle>): LocatedPosition[] {
  const externalId = readId(vehicle.id);
  const location: Unread<Location> = isObject(vehicle.current_location) ? vehicle.current_location : {};
  const [at, place] = [readTime(location.located_at), readPlace(location.lat, location.lon)];
  if (externalId === undefined || at === null || place === null) return [];
  const { bearing, speed } = location;
  const odometer = toOdometer(location);
  return [{ externalId, ...place, heading: readHeading(bearing), speedMph: readMph(speed), at, odometer }];
}

function toOdometer(location: Unread<Location>): LocatedPosition['odometer'] {
  const [own, calculated] = [readOdometer(location.true_odometer), readOdometer(location.odometer)];
  if (own !== null) return { miles: own, source: 'obd' };
  return calculated === null ? null : { miles: calculated, source: 'gps' };
}
