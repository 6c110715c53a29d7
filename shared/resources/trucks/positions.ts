import type { OdometerSource } from '../../integrations/contract/telematics.js';
import type { Transaction } from '../../platform/postgres/database.js';

/** A position that a vendor reported for a truck. */
export interface TruckPositionReport {
  truck_id: string;
  lat: number;
  lng: number;
  heading: number | null;
  speed_mph: number | null;
  /** RFC 3339 */
  at: string;
}

/** What the odometer of a truck showed at one time, as a vendor reported it. */
export interface TruckOdometer {
  truck_id: string;
  miles: number;
  source: OdometerSource;
  /** RFC 3339 */
  at: string;
}

/** A slower truck stands. */
export const STANDING_MPH = 2;

/** False if the vendor does not know the speed. */
export function isStanding(speedMph: number | null): boolean {
  return speedMph !== null && speedMph <= STANDING_MPH;
}

/** A stored time that is later than this is wrong. It must not keep all later positions out. */
export const MAX_AHEAD_MS = 5 * 60_000;
/**
 * For so long, the last reading of the vehicle itself counts before one that a vendor calculates.
 */
const OWN_READING_MS = 24 * 3_600_000;

/**
 * Moves trucks to their reported positions, and stores what their odometers showed last. Drops a
 * position or reading that is not newer than the stored one. Each truck may occur once in each
 * list. Locks the trucks in id order, as commands do.
 *
 * A position is written without a command: it leaves no audit entry and no event
 * (docs/adr/0030-positions-of-trucks.md). It also leaves `updated_at`, so that the If-Match of a
 * moving truck holds. The position and the reading have their own times.
 * @returns the number of trucks that have moved
 */
export async function moveTrucks(
  tx: Transaction,
  tenantId: string,
  reports: readonly TruckPositionReport[],
  odometers: readonly TruckOdometer[] = [],
): Promise<number> {
  const ids = [...new Set([...reports, ...odometers].map(({ truck_id }) => truck_id))];
  if (ids.length === 0) return 0;
  const locked = await tx.query<StoredState & { id: string }>({
    name: 'lock-reported-trucks',
    text: `select t.id, (extract(epoch from t.located_at) * 1000)::float8 as located_ms, t.odometer_source,
             (extract(epoch from t.odometer_read_at) * 1000)::float8 as odometer_ms from trucks t
           where t.tenant_id = $1 and t.id = any($2::uuid[]) order by t.id for no key update`,
    values: [tenantId, ids],
  });
  const states = new Map(locked.map(({ id, ...state }) => [id, state]));
  const moved = reports.filter(({ truck_id, at }) => {
    const state = states.get(truck_id);
    return state !== undefined && isNewer(Date.parse(at), state.located_ms);
  });
  const read = odometers.filter((odometer) => isNextReading(odometer, states.get(odometer.truck_id)));
  const changes = new Map<string, object>(moved.map((report) => [report.truck_id, report]));
  for (const { truck_id, miles, source, at } of read)
    changes.set(truck_id, {
      ...changes.get(truck_id),
      odometer_miles: miles,
      odometer_source: source,
      odometer_read_at: at,
    });
  if (changes.size === 0) return 0;
  // The changes are an object by truck, because PostgreSQL joins a list without statistics in
  // quadratic time: 512 trucks took 100 ms instead of 5 (measured).
  await tx.query({
    name: 'move-trucks',
    text: `update trucks t set (${[...POSITION, ...ODOMETER].join(', ')}) = (
             select ${[...keepUnless('r.at', POSITION), ...keepUnless('r.odometer_read_at', ODOMETER)].join(', ')}
             from jsonb_to_record($3::jsonb -> t.id::text) as r(lat double precision, lng double precision, heading double precision,
               speed_mph double precision, at timestamptz, odometer_miles double precision, odometer_source text, odometer_read_at timestamptz))
           where t.tenant_id = $1 and t.id = any($2::uuid[])`,
    values: [tenantId, [...changes.keys()], JSON.stringify(Object.fromEntries(changes))],
  });
  return moved.length;
}

const POSITION = ['lat', 'lng', 'heading', 'speed_mph', 'located_at'];
const ODOMETER = ['odometer_miles', 'odometer_source', 'odometer_read_at'];

/** Returns SQL for the columns' new values: the stored ones if `reported` is null. */
function keepUnless(reported: string, columns: readonly string[]): string[] {
  return columns.map((name) => {
    const value = name === 'located_at' ? 'at' : name;
    return `case when ${reported} is null then t.${name} else r.${value} end`;
  });
}

/** The stored times of a truck's position and of the reading of its odometer, in ms since 1970. */
interface StoredState {
  located_ms: number | null;
  odometer_ms: number | null;
  odometer_source: string | null;
}

function isNewer(atMs: number, storedMs: number | null): boolean {
  return storedMs === null || storedMs < atMs || storedMs > Date.now() + MAX_AHEAD_MS;
}

/** A calculated reading replaces one of the vehicle itself only if that one is old. */
function isNextReading({ at, source }: TruckOdometer, state: StoredState | undefined): boolean {
  if (state === undefined) return false;
  const atMs = Date.parse(at);
  const isLesser = source === 'gps' && state.odometer_source === 'obd';
  return isNewer(isLesser ? atMs - OWN_READING_MS : atMs, state.odometer_ms);
}
