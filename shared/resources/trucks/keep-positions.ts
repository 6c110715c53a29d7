import { deriveTimedId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { parseColumnNames, recordsetSql } from '../../records/record-refs.js';
import type { TruckPositionReport } from './positions.js';

/** At most one position of a truck is kept per interval of this length. */
const INTERVAL_MS = 30_000;
/**
 * A larger fleet has longer intervals. So an account stores at most a thousand positions a minute,
 * or 43 million in 30 days.
 */
const TRUCKS_PER_INTERVAL = 500;
/** There is always a partition for the positions of this time. */
const MAX_AGE_MS = 7 * 86_400_000;

const COLUMNS = `tenant_id uuid, id uuid, truck_id uuid, connection_id uuid, lat double precision, lng double precision,
  heading double precision, speed_mph double precision, at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

/** Returns the length of the intervals for a fleet with this many linked trucks. */
export function findIntervalMs(trucks: number): number {
  return INTERVAL_MS * Math.max(1, Math.ceil(trucks / TRUCKS_PER_INTERVAL));
}

/**
 * Keeps the first position of each truck in each interval. The id of a position is derived from its
 * truck and interval, so a further one of the same interval changes nothing.
 */
export function keepPositions(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { reports, intervalMs }: { reports: readonly TruckPositionReport[]; intervalMs: number },
): void {
  const oldest = Date.now() - MAX_AGE_MS;
  const rows = new Map<string, object>();
  for (const { truck_id, ...report } of reports) {
    const at = Date.parse(report.at);
    if (at < oldest) continue;
    const start = Math.floor(at / intervalMs) * intervalMs;
    const id = deriveTimedId(start, truck_id);
    if (!rows.has(id))
      rows.set(id, { ...report, tenant_id: tenantId, id, truck_id, connection_id: connectionId });
  }
  if (rows.size === 0) return;
  tx.queryAtCommit({
    name: 'keep-truck-positions',
    text: `insert into truck_positions (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)} on conflict do nothing`,
    values: [JSON.stringify([...rows.values()])],
  });
}
