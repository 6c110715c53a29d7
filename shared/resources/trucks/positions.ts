import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { recordsetSql } from '../../records/record-refs.js';

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

const COLUMNS =
  'truck_id uuid, lat double precision, lng double precision, heading double precision, speed_mph double precision, at timestamptz';

/**
 * Moves trucks to their reported positions. Drops a position that is not newer than the stored one.
 * Each truck may occur once. Locks the trucks in id order, as commands do.
 *
 * A position is written without a command: it leaves no audit entry and no event
 * (docs/adr/0030-positions-of-trucks.md).
 * @returns the number of trucks that have moved
 */
export async function moveTrucks(
  tx: Transaction,
  tenantId: string,
  reports: readonly TruckPositionReport[],
): Promise<number> {
  if (reports.length === 0) return 0;
  // A stored time in the future is wrong. It must not keep all later positions out.
  const rows = await tx.query({
    name: 'move-trucks',
    text: `with r as materialized (select * from ${recordsetSql(COLUMNS)}),
           held as materialized (
             select t.id from r join trucks t on t.tenant_id = $2 and t.id = r.truck_id
             where t.located_at is null or t.located_at < r.at or t.located_at > now() + interval '5 minutes'
             order by t.id for no key update of t)
           update trucks t set lat = r.lat, lng = r.lng, heading = r.heading, speed_mph = r.speed_mph, located_at = r.at,
             updated_at = ${nextUpdatedAtSql('t')}
           from held h join r on r.truck_id = h.id where t.tenant_id = $2 and t.id = h.id returning 1`,
    values: [JSON.stringify(reports), tenantId],
  });
  return rows.length;
}
