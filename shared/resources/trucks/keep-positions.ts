import { deriveTimedId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { parseColumnNames, recordsetSql } from '../../records/record-refs.js';
import { isStanding, STANDING_MPH, type TruckOdometer, type TruckPositionReport } from './positions.js';

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
  heading double precision, speed_mph double precision, at timestamptz, odometer_miles double precision, odometer_source text,
  odometer_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');
const PLACE = ['lat', 'lng', 'heading', 'speed_mph', 'at'];
const ODOMETER = ['odometer_miles', 'odometer_source', 'odometer_at'];

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
    const startMs = startInterval(report.at, intervalMs);
    const key = `${startMs}/${report.truck_id}`;
    const other = kept.get(key)?.report;
    if (!other || (!isStanding(other.speed_mph) && isStanding(report.speed_mph)))
      kept.set(key, { report, startMs });
  }
  return [...kept.values()];
}

/**
 * Returns the readings to keep, by truck and interval: the first of each, but one of the vehicle
 * itself before one that a vendor calculates.
 */
function thinOdometers(odometers: readonly TruckOdometer[], intervalMs: number): Map<string, TruckOdometer> {
  const kept = new Map<string, TruckOdometer>();
  for (const odometer of odometers) {
    const id = derivePositionId(startInterval(odometer.at, intervalMs), odometer);
    const other = kept.get(id);
    if (!other || (other.source === 'gps' && odometer.source === 'obd')) kept.set(id, odometer);
  }
  return kept;
}

function startInterval(at: string, intervalMs: number): number {
  return Math.floor(Date.parse(at) / intervalMs) * intervalMs;
}

function derivePositionId(startMs: number, { truck_id }: { truck_id: string }): string {
  return deriveTimedId(startMs, truck_id);
}

function toOdometerColumns({ miles, source, at }: TruckOdometer): object {
  return { odometer_miles: miles, odometer_source: source, odometer_at: at };
}

/** SQL that is true if a truck that moved at the kept position stands at the new one. */
const STANDS = `coalesce(excluded.speed_mph <= ${STANDING_MPH} and (p.speed_mph > ${STANDING_MPH} or p.speed_mph is null), false)`;

/** Returns SQL that is true if the reading of `next` is kept at the position `p`. */
function isReadingKept(next: string): string {
  return `(${next}.connection_id = p.connection_id and ${next}.odometer_miles is not null
    and (p.odometer_source is null or (p.odometer_source = 'gps' and ${next}.odometer_source = 'obd')))`;
}

function setIf(condition: string, columns: readonly string[]): string {
  return columns
    .map((name) => `${name} = case when ${condition} then excluded.${name} else p.${name} end`)
    .join(', ');
}

/**
 * Keeps at most one position of each truck in each interval, as {@link thinReports} does. The id of
 * a position is derived from its truck and interval, so the reports of several reads are thinned
 * too. A position has at most one reading of an odometer, which its connection reported in the same
 * interval. Readings without a position are not kept.
 */
export function keepPositions(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  {
    reports,
    odometers = [],
    intervalMs,
  }: {
    reports: readonly TruckPositionReport[];
    odometers?: readonly TruckOdometer[];
    intervalMs: number;
  },
): void {
  const oldest = Date.now() - MAX_AGE_MS;
  const isKept = ({ at }: { at: string }) => Date.parse(at) >= oldest;
  const own = { tenant_id: tenantId, connection_id: connectionId };
  const readings = thinOdometers(odometers.filter(isKept), intervalMs);
  const rows = thinReports(reports.filter(isKept), intervalMs).map(({ report, startMs }) => {
    const id = derivePositionId(startMs, report);
    const reading = readings.get(id);
    readings.delete(id);
    return { ...report, ...own, id, ...(reading && toOdometerColumns(reading)) };
  });
  if (rows.length > 0)
    tx.queryAtCommit({
      name: 'keep-truck-positions',
      text: `insert into truck_positions as p (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, id) do update set ${setIf(STANDS, ['connection_id', ...PLACE])},
             ${setIf(`(${isReadingKept('excluded')} or excluded.connection_id <> p.connection_id)`, ODOMETER)}
           where ${STANDS} or ${isReadingKept('excluded')}`,
      values: [JSON.stringify(rows)],
    });
  if (readings.size > 0) keepOdometers(tx, own, readings);
}

/** Adds readings to positions that earlier reads have kept. */
function keepOdometers(
  tx: Transaction,
  { tenant_id, connection_id }: { tenant_id: string; connection_id: string },
  readings: ReadonlyMap<string, TruckOdometer>,
): void {
  const entries = [...readings].map(([id, reading]) => [
    id,
    { connection_id, ...toOdometerColumns(reading) },
  ]);
  tx.queryAtCommit({
    name: 'keep-truck-odometers',
    text: `update truck_positions p set (${ODOMETER.join(', ')}) = (select ${ODOMETER.map((name) => `r.${name}`).join(', ')} from ${READING})
           where p.tenant_id = $1 and p.id = any($2::uuid[]) and exists (select from ${READING} where ${isReadingKept('r')})`,
    values: [tenant_id, [...readings.keys()], JSON.stringify(Object.fromEntries(entries))],
  });
}

/** SQL for the reading of the position `p`. An object by id, as in `moveTrucks`. */
const READING = `jsonb_to_record($3::jsonb -> p.id::text)
  as r(connection_id uuid, odometer_miles double precision, odometer_source text, odometer_at timestamptz)`;
