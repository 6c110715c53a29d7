import type { Database } from '../../platform/postgres/database.js';
import { selectCurrentDrive } from '../trucks/current-drive.js';
import { type Assignment, type LinkTarget, markAssignment } from './link.js';

/**
 * Hours for which a pre-trip inspection of the truck counts as an inspection in the current shift.
 */
const INSPECTION_HOURS = 14;

/** A pre-trip inspection of the truck in this shift. */
export interface ShiftInspection {
  result: 'pass' | 'pass_with_defects' | 'out_of_service';
  at: string;
}

/** The data of a work order that the driver's page may show. */
export interface DrivenWorkOrder extends Assignment {
  tenant_id: string;
  id: string;
  environment: 'live' | 'sandbox';
  company: string;
  time_zone: string;
  job_number: string;
  service_type: string;
  step: string | null;
  truck_id: string;
  driver_name: string | null;
  unit_number: string;
  pickup_location: string | null;
  pickup_lat: number | null;
  pickup_lng: number | null;
  dropoff_location: string | null;
  dropoff_lat: number | null;
  dropoff_lng: number | null;
  notes: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  vehicle_make: string | null;
  vehicle_model: string | null;
  vehicle_year: number | null;
  vin: string | null;
  eta: Date | null;
  /** The version of the work order, in the form of an ETag. */
  updated_at: string;
  is_truck_blocked: boolean;
  inspection: ShiftInspection | null;
  /** Number of stored photos. */
  photos: number;
  /** The account's setting: drivers may take payments. */
  driver_payments: boolean;
  /** The drive of the truck, as `describeDrive` reads it. */
  drive: string | null;
}

const LAST_INSPECTION = `(select json_build_object('result', n.result, 'at', n.created_at) from inspections n
  where n.tenant_id = w.tenant_id and n.truck_id = w.truck_id and n.kind = 'pre_trip'
    and n.created_at > now() - interval '${INSPECTION_HOURS} hours' order by n.created_at desc limit 1)`;

/**
 * Reads the work order behind a driver's link. Returns undefined if the link has ended: the work
 * order was completed, cancelled, unassigned, or given to another driver or truck.
 */
export async function readDrivenWorkOrder(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId, mark }: LinkTarget & { mark: string },
): Promise<DrivenWorkOrder | undefined> {
  const [row] = await db.read<DrivenWorkOrder>(tenantId, {
    name: 'read-driven-work-order',
    text: `select w.tenant_id, w.id, t.environment, coalesce(t.business_name, t.name) as company, t.time_zone, t.driver_payments, w.job_number,
             w.service_type, w.status, w.step, w.truck_id, w.driver_id, to_json(w.dispatch_time)#>>'{}' as dispatch_time,
             d.name as driver_name, k.unit_number, w.pickup_location, w.pickup_lat, w.pickup_lng,
             w.dropoff_location, w.dropoff_lat, w.dropoff_lng, w.notes, w.contact_name, w.contact_phone, w.vehicle_make, w.vehicle_model, w.vehicle_year, w.vin, w.eta,
             to_json(w.updated_at)#>>'{}' as updated_at, ${selectCurrentDrive('w')} as drive, ${LAST_INSPECTION} as inspection,
             exists (select from inspections n where n.tenant_id = w.tenant_id and n.truck_id = w.truck_id and n.blocks_dispatch)
               as is_truck_blocked,
             (select count(*)::int from work_order_photos p where p.tenant_id = w.tenant_id and p.work_order_id = w.id
                and p.deleted_at is null) as photos
           from work_orders w join tenants t on t.tenant_id = w.tenant_id
           join trucks k on k.tenant_id = w.tenant_id and k.id = w.truck_id
           left join drivers d on d.tenant_id = w.tenant_id and d.id = w.driver_id
           where w.tenant_id = $1 and w.id = $2 and w.status in ('dispatched', 'in_progress')`,
    values: [tenantId, workOrderId],
  });
  return row && markAssignment(row) === mark ? row : undefined;
}
