import { firstIdAtSql } from '../../platform/id-times.js';
import type { Database } from '../../platform/postgres/database.js';
import { selectProgress } from './current-work-order.js';
import { estimateArrival } from './estimate-arrival.js';
import { proposeStep, type TrackedDrive } from './propose-step.js';

/** A truck that is farther from the pickup than this, north or east, has been elsewhere. */
const ELSEWHERE_DEGREES = 0.005;

/**
 * Returns the SQL condition that the truck `k` has left for the pickup since it was assigned. That
 * is true once it is on the way. Before, only a kept position elsewhere shows it. The search for
 * one is left out for trucks that are not near the pickup, because the board has many.
 */
function hasDepartedSql(alias: string): string {
  const isElsewhere = (place: string) =>
    `(abs(${place}.lat - ${alias}.pickup_lat) > ${ELSEWHERE_DEGREES} or abs(${place}.lng - ${alias}.pickup_lng) > ${ELSEWHERE_DEGREES})`;
  return `k.located_at >= ${alias}.dispatch_time and (${selectProgress(alias)} = 'en_route' or not ${isElsewhere('k')}
    and exists (select from truck_positions p where p.tenant_id = ${alias}.tenant_id and p.truck_id = k.id
      and p.id >= ${firstIdAtSql(`${alias}.dispatch_time`)} and ${isElsewhere('p')}))`;
}

/**
 * Returns SQL for the drive of the truck to the pickup of its work order, in the form that
 * `parseDrive` reads. It is null unless the truck is assigned or on the way, and the places of both
 * are known. `alias` is the work order. The text contains no spaces.
 */
export function selectDriveToPickup(alias: string): string {
  // concat_ws leaves out the speed if it is null, so the speed comes last.
  return `(select concat_ws(',', k.lat, k.lng, ${alias}.pickup_lat, ${alias}.pickup_lng,
      (extract(epoch from k.located_at) * 1000)::bigint, case when ${hasDepartedSql(alias)} then 1 else 0 end, k.speed_mph)
    from trucks k where k.tenant_id = ${alias}.tenant_id and k.id = ${alias}.truck_id and k.located_at is not null
      and ${alias}.status in ('dispatched', 'in_progress') and ${selectProgress(alias)} in ('assigned', 'en_route')
      and ${alias}.pickup_lat is not null and ${alias}.pickup_lng is not null)`;
}

function parseDrive(text: string): TrackedDrive {
  const [lat, lng, pickupLat, pickupLng, locatedMs, hasDeparted, speedMph] = text.split(',').map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number | undefined,
  ];
  return {
    truck: { lat, lng },
    pickup: { lat: pickupLat, lng: pickupLng },
    locatedMs,
    hasDeparted: hasDeparted === 1,
    speedMph: speedMph ?? null,
  };
}

/** Estimates the arrival from the text that the SQL of `selectDriveToPickup` returns. */
export function estimateArrivalOf(drive: string | null | undefined, nowMs = Date.now()): Date | null {
  return drive ? estimateArrival(parseDrive(drive), nowMs) : null;
}

/** The members of a work order that follow from the drive of its truck. */
export interface DriveMembers {
  estimated_arrival_at: Date | null;
  proposed_step: 'on_scene' | null;
}

/** Returns what the text of the SQL of `selectDriveToPickup` shows. */
export function describeDrive(drive: string | null | undefined, nowMs = Date.now()): DriveMembers {
  if (!drive) return { estimated_arrival_at: null, proposed_step: null };
  const parsed = parseDrive(drive);
  return {
    estimated_arrival_at: estimateArrival(parsed, nowMs),
    proposed_step: proposeStep(parsed, nowMs),
  };
}

/** Reads the drive of a work order's truck to the pickup. */
export async function readDrive(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: { tenantId: string; workOrderId: string },
): Promise<string | null> {
  const [row] = await db.read<{ drive: string | null }>(tenantId, {
    name: 'read-drive-to-pickup',
    text: `select ${selectDriveToPickup('w')} as drive from work_orders w where w.tenant_id = $1 and w.id = $2`,
    values: [tenantId, workOrderId],
  });
  return row?.drive ?? null;
}
