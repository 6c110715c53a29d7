import { firstIdAtSql } from '../../platform/id-times.js';
import type { Database } from '../../platform/postgres/database.js';
import { selectProgress } from './current-work-order.js';
import { estimateArrival } from './estimate-arrival.js';
import { type ProposedStep, proposeStep, type TrackedDrive } from './propose-step.js';

/** A truck that is farther from a place than this, north or east, has been elsewhere. */
const ELSEWHERE_DEGREES = 0.005;

/** SQL that describes the drive to a place of the work order with this alias. */
interface DriveSql {
  to: TrackedDrive['to'];
  /** The condition that the truck drives there now. */
  isUnderWay: (alias: string) => string;
  /** The time since which the truck may have driven there. */
  since: (alias: string) => string;
  /** A condition that shows that the truck has left since then, without its kept positions. */
  hasLeft: (alias: string) => string;
}

const TO_PICKUP: DriveSql = {
  to: 'pickup',
  isUnderWay: (alias) => `${selectProgress(alias)} in ('assigned', 'en_route')`,
  since: (alias) => `${alias}.dispatch_time`,
  hasLeft: (alias) => `${selectProgress(alias)} = 'en_route'`,
};

const isLoaded = (alias: string) => `${alias}.step in ('hooked', 'towing')`;

const TO_DROPOFF: DriveSql = {
  to: 'dropoff',
  isUnderWay: isLoaded,
  // The vehicle is on the truck since the first of these steps in this assignment.
  since: (alias) => `(select min(s.at) from work_order_steps s where s.tenant_id = ${alias}.tenant_id
    and s.work_order_id = ${alias}.id and ${isLoaded('s')} and s.at >= ${alias}.dispatch_time)`,
  // The truck was loaded at the pickup.
  hasLeft: (alias) =>
    isElsewhere(
      { lat: `${alias}.pickup_lat`, lng: `${alias}.pickup_lng` },
      { lat: `${alias}.dropoff_lat`, lng: `${alias}.dropoff_lng` },
    ),
};

function isElsewhere(one: { lat: string; lng: string }, other: { lat: string; lng: string }): string {
  return `(abs(${one.lat} - ${other.lat}) > ${ELSEWHERE_DEGREES} or abs(${one.lng} - ${other.lng}) > ${ELSEWHERE_DEGREES})`;
}

/**
 * Returns the SQL condition that the position of the truck `k` is of its drive to the place, and
 * not of a truck that stood there before. It is false for trucks far from the place: they have not
 * arrived, and the board has many.
 */
function hasDepartedSql({ to, since, hasLeft }: DriveSql, alias: string): string {
  const place = { lat: `${alias}.${to}_lat`, lng: `${alias}.${to}_lng` };
  const isElsewhereSql = (position: string) =>
    isElsewhere({ lat: `${position}.lat`, lng: `${position}.lng` }, place);
  return `not ${isElsewhereSql('k')} and k.located_at >= ${since(alias)} and (${hasLeft(alias)} or exists (
    select from truck_positions p where p.tenant_id = ${alias}.tenant_id and p.truck_id = k.id
      and p.id >= ${firstIdAtSql(since(alias))} and ${isElsewhereSql('p')}))`;
}

function selectDriveTo(drive: DriveSql, alias: string): string {
  const [lat, lng] = [`${alias}.${drive.to}_lat`, `${alias}.${drive.to}_lng`];
  // concat_ws leaves out the speed if it is null, so the speed comes last.
  return `(select concat_ws(',', '${drive.to}', k.lat, k.lng, ${lat}, ${lng}, (extract(epoch from k.located_at) * 1000)::bigint,
      case when ${hasDepartedSql(drive, alias)} then 1 else 0 end, k.speed_mph)
    from trucks k where k.tenant_id = ${alias}.tenant_id and k.id = ${alias}.truck_id and k.located_at is not null
      and ${alias}.status in ('dispatched', 'in_progress') and ${drive.isUnderWay(alias)}
      and ${lat} is not null and ${lng} is not null)`;
}

/**
 * Returns SQL for the drive of the truck to the pickup of its work order or, once the vehicle is on
 * it, to the drop-off, in the form that `parseDrive` reads. It is null unless the truck is under
 * way to one of them, and its position and the place are known. `alias` is the work order. The text
 * contains no spaces.
 */
export function selectCurrentDrive(alias: string): string {
  return `coalesce(${selectDriveTo(TO_PICKUP, alias)}, ${selectDriveTo(TO_DROPOFF, alias)})`;
}

function parseDrive(text: string): TrackedDrive {
  const [to, ...numbers] = text.split(',') as [TrackedDrive['to'], ...string[]];
  const [lat, lng, placeLat, placeLng, locatedMs, hasDeparted, speedMph] = numbers.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number | undefined,
  ];
  return {
    to,
    truck: { lat, lng },
    place: { lat: placeLat, lng: placeLng },
    locatedMs,
    hasDeparted: hasDeparted === 1,
    speedMph: speedMph ?? null,
  };
}

/** The members of a work order that follow from the drive of its truck. */
export interface DriveMembers {
  /** The arrival at the pickup. */
  estimated_arrival_at: Date | null;
  proposed_step: ProposedStep | null;
}

/** Returns what the text of the SQL of `selectCurrentDrive` shows. */
export function describeDrive(drive: string | null | undefined, nowMs = Date.now()): DriveMembers {
  if (!drive) return { estimated_arrival_at: null, proposed_step: null };
  const parsed = parseDrive(drive);
  return {
    estimated_arrival_at: parsed.to === 'pickup' ? estimateArrival(parsed, nowMs) : null,
    proposed_step: proposeStep(parsed, nowMs),
  };
}

/** Reads the drive of a work order's truck. */
export async function readDrive(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: { tenantId: string; workOrderId: string },
): Promise<string | null> {
  const [row] = await db.read<{ drive: string | null }>(tenantId, {
    name: 'read-current-drive',
    text: `select ${selectCurrentDrive('w')} as drive from work_orders w where w.tenant_id = $1 and w.id = $2`,
    values: [tenantId, workOrderId],
  });
  return row?.drive ?? null;
}
