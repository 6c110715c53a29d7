import type { Database } from '../../platform/postgres/database.js';
import { selectProgress } from './current-work-order.js';
import { type DriveToPickup, estimateArrival } from './estimate-arrival.js';

/**
 * Returns SQL for the drive of the truck to the pickup of its work order, in the form that
 * `parseDrive` reads. It is null unless the truck is assigned or on the way, and the places of both
 * are known. `alias` is the work order. The text contains no spaces.
 */
export function selectDriveToPickup(alias: string): string {
  // concat_ws leaves out the speed if it is null, so the speed comes last.
  return `(select concat_ws(',', k.lat, k.lng, ${alias}.pickup_lat, ${alias}.pickup_lng,
      (extract(epoch from k.located_at) * 1000)::bigint, k.speed_mph)
    from trucks k where k.tenant_id = ${alias}.tenant_id and k.id = ${alias}.truck_id and k.located_at is not null
      and ${alias}.status in ('dispatched', 'in_progress') and ${selectProgress(alias)} in ('assigned', 'en_route')
      and ${alias}.pickup_lat is not null and ${alias}.pickup_lng is not null)`;
}

function parseDrive(text: string): DriveToPickup {
  const [lat, lng, pickupLat, pickupLng, locatedMs, speedMph] = text.split(',').map(Number) as [
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
    speedMph: speedMph ?? null,
  };
}

/** Estimates the arrival from the text that the SQL of `selectDriveToPickup` returns. */
export function estimateArrivalOf(drive: string | null | undefined, nowMs = Date.now()): Date | null {
  return drive ? estimateArrival(parseDrive(drive), nowMs) : null;
}

/** Reads the drive of a work order's truck to the pickup, and estimates the arrival. */
export async function readEstimatedArrival(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: { tenantId: string; workOrderId: string },
): Promise<Date | null> {
  const [row] = await db.read<{ drive: string | null }>(tenantId, {
    name: 'read-drive-to-pickup',
    text: `select ${selectDriveToPickup('w')} as drive from work_orders w where w.tenant_id = $1 and w.id = $2`,
    values: [tenantId, workOrderId],
  });
  return estimateArrivalOf(row?.drive);
}
