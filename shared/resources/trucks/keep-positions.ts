import { deriveTimedId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { parseColumnNames, recordsetSql } from '../../records/record-refs.js';
import { isStanding, STANDING_MPH, type TruckPositionReport } from './positions.js';

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

interface KeptReport {
  report: TruckPositionReport;
  /** The start of its interval. */
  startMs: number;
}

/**
 * Returns the positions to keep: the first of each truck in each interval. A parked truck is
 * reported once, so the first position at which it stands replaces one at which it moved.
 */
export function thinReports(reports: readonly TruckPositionReport[], intervalMs: number): KeptReport[] {
  const kept = new Map<string, KeptReport>();
  for (const report of reports) {
    const startMs = Math.floor(Date.parse(report.at) / intervalMs) * intervalMs;
    const key = `${startMs}/${report.truck_id}`;
    const other = kept.get(key)?.report;
    if (!other || (!isStanding(other.speed_mph) && isStanding(report.speed_mph)))
      kept.set(key, { report, startMs });
  }
  return [...kept.values()];
}

/**
 * Keeps at most one position of each truck in each interval, as {@link thinReports} does. The id of
 * a position is derived from its truck and interval, so the reports of several reads are thinned
 * too.
 */
export function keepPositions(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { reports, intervalMs }: { reports: readonly TruckPositionReport[]; intervalMs: number },
): void {
  const oldest = Date.now() - MAX_AGE_MS;
  const kept = thinReports(
    reports.filter(({ at }) => Date.parse(at) >= oldest),
    intervalMs,
  );
  if (kept.length === 0) return;
  const rows = kept.map(({ report, startMs }) => ({
    ...report,
    tenant_id: tenantId,
    id: deriveTimedId(startMs, report.truck_id),
    connection_id: connectionId,
  }));
  tx.queryAtCommit({
    name: 'keep-truck-positions',
    text: `insert into truck_positions as p (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, id) do update set (connection_id, lat, lng, heading, speed_mph, at)
             = (excluded.connection_id, excluded.lat, excluded.lng, excluded.heading, excluded.speed_mph, excluded.at)
           where excluded.speed_mph <= ${STANDING_MPH} and (p.speed_mph > ${STANDING_MPH} or p.speed_mph is null)`,
    values: [JSON.stringify(rows)],
  });
}
