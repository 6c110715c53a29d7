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

/** A slower truck stands. */
export const STANDING_MPH = 2;

/** False if the vendor does not know the speed. */
export function isStanding(speedMph: number | null): boolean {
  return speedMph !== null && speedMph <= STANDING_MPH;
}

/** A stored time that is later than this is wrong. It must not keep all later positions out. */
export const MAX_AHEAD_MS = 5 * 60_000;

/**
 * Moves trucks to their reported positions. Drops a position that is not newer than the stored one.
 * Each truck may occur once. Locks the trucks in id order, as commands do.
 *
 * A position is written without a command: it leaves no audit entry and no event
 * (docs/adr/0030-positions-of-trucks.md). It also leaves `updated_at`, so that the If-Match of a
 * moving truck holds. The position has its own time.
 * @returns the number of trucks that have moved
 */
export async function moveTrucks(
  tx: Transaction,
  tenantId: string,
  reports: readonly TruckPositionReport[],
): Promise<number> {
  if (reports.length === 0) return 0;
  const locked = await tx.query<{ id: string; located_ms: number | null }>({
    name: 'lock-reported-trucks',
    text: `select t.id, (extract(epoch from t.located_at) * 1000)::float8 as located_ms from trucks t
           where t.tenant_id = $1 and t.id = any($2::uuid[]) order by t.id for no key update`,
    values: [tenantId, reports.map(({ truck_id }) => truck_id)],
  });
  const times = new Map(locked.map(({ id, located_ms }) => [id, located_ms]));
  const newer = reports.filter(({ truck_id, at }) => isNewer(Date.parse(at), times.get(truck_id)));
  if (newer.length === 0) return 0;
  // The reports are an object by truck, because PostgreSQL joins a list without statistics in
  // quadratic time: 512 trucks took 100 ms instead of 5 (measured).
  await tx.query({
    name: 'move-trucks',
    text: `update trucks t set (lat, lng, heading, speed_mph, located_at) = (
             select r.lat, r.lng, r.heading, r.speed_mph, r.at from jsonb_to_record($3::jsonb -> t.id::text)
               as r(lat double precision, lng double precision, heading double precision, speed_mph double precision, at timestamptz))
           where t.tenant_id = $1 and t.id = any($2::uuid[])`,
    values: [
      tenantId,
      newer.map(({ truck_id }) => truck_id),
      JSON.stringify(Object.fromEntries(newer.map((report) => [report.truck_id, report]))),
    ],
  });
  return newer.length;
}

function isNewer(atMs: number, storedMs: number | null | undefined): boolean {
  if (storedMs === undefined) return false;
  return storedMs === null || storedMs < atMs || storedMs > Date.now() + MAX_AHEAD_MS;
}
