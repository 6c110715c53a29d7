import type { LogoRef } from '../../documents/document-rows.js';
import { selectLogoRef } from '../../documents/logo-queries.js';
import type { Database } from '../../platform/postgres/database.js';
import { selectCurrentDrive } from '../trucks/current-drive.js';
import { selectProgress } from '../trucks/current-work-order.js';
import { isPositionStale } from '../trucks/fields.js';
import { isTowedSql } from './is-towed.js';
import type { LinkTarget } from './link.js';

/** The hours for which a tracking link still opens after its work order has ended. */
export const TRACKING_HOURS_AFTER_END = 6;

/** The days after which a tracking link stops working in any case, counted from the booking. */
export const TRACKING_DAYS = 30;

/**
 * The progress of a work order: first `pending`, then the progress of its truck, finally
 * `completed` or `cancelled`.
 */
export type Progress =
  | 'pending'
  | 'assigned'
  | 'en_route'
  | 'on_scene'
  | 'towing'
  | 'returning'
  | 'completed'
  | 'cancelled';

/** The position of the truck, and the pickup to which it drives. */
export interface TruckPosition {
  lat: number;
  lng: number;
  pickup_lat: number;
  pickup_lng: number;
  is_stale: boolean;
  age_minutes: number;
}

/**
 * The data of a work order that the tracking page may show. The query reads nothing else, such as
 * addresses, plates and notes.
 */
export interface TrackedWorkOrder {
  environment: 'live' | 'sandbox';
  company: string;
  phone: string | null;
  time_zone: string;
  logo: LogoRef | null;
  has_link_ended: boolean;
  progress: Progress;
  is_towed: boolean;
  contact_name: string | null;
  vehicle_make: string | null;
  vehicle_model: string | null;
  eta: Date | null;
  unit_number: string | null;
  position: TruckPosition | null;
  /** The drive of the truck as `describeDrive` reads it; null where the position is null. */
  drive: string | null;
  read_at: Date;
}

const PROGRESS = `case when w.status in ('dispatched', 'in_progress') then ${selectProgress('w')} else w.status end`;

/**
 * The start of the truck's drive to this motorist. Earlier positions may show the street of another
 * customer.
 */
const ON_THE_WAY_SINCE = `greatest(w.dispatch_time, (select max(s.at) from work_order_steps s
  where s.tenant_id = w.tenant_id and s.work_order_id = w.id and s.truck_id = w.truck_id and s.step = 'en_route'))`;

const SERVES_ANOTHER = `exists (select from work_orders o where o.tenant_id = w.tenant_id and o.truck_id = w.truck_id
  and o.id <> w.id and o.status in ('dispatched', 'in_progress'))`;

/**
 * The motorist may see the position of the truck on the way to the pickup, and no other position.
 */
const IS_POSITION_SHOWN = `${PROGRESS} = 'en_route' and w.pickup_lat is not null and w.pickup_lng is not null
    and k.located_at >= ${ON_THE_WAY_SINCE} and not ${SERVES_ANOTHER}`;

const POSITION = `case when s.is_position_shown
  then json_build_object('lat', k.lat, 'lng', k.lng, 'pickup_lat', w.pickup_lat, 'pickup_lng', w.pickup_lng,
    'is_stale', ${isPositionStale('k')}, 'age_minutes', floor(extract(epoch from now() - k.located_at) / 60)) end`;

const HAS_LINK_ENDED = `coalesce(
  case w.status when 'completed' then w.completion_time when 'cancelled' then w.updated_at end
    <= now() - interval '${TRACKING_HOURS_AFTER_END} hours', false) or w.created_at <= now() - interval '${TRACKING_DAYS} days'`;

/**
 * Reads the data that a tracking page shows. Returns undefined if the work order does not exist.
 */
export async function readTrackedWorkOrder(
  db: Pick<Database, 'read'>,
  { tenantId, workOrderId }: LinkTarget,
): Promise<TrackedWorkOrder | undefined> {
  const [row] = await db.read<TrackedWorkOrder>(tenantId, {
    name: 'read-tracked-work-order',
    text: `select t.environment, coalesce(t.business_name, t.name) as company, t.phone, t.time_zone,
             ${selectLogoRef('w')} as logo, (${HAS_LINK_ENDED}) as has_link_ended, ${PROGRESS} as progress,
             ${isTowedSql('w')} as is_towed,
             w.contact_name, w.vehicle_make, w.vehicle_model, w.eta, k.unit_number, ${POSITION} as position,
             case when s.is_position_shown then ${selectCurrentDrive('w')} end as drive, now() as read_at
           from work_orders w join tenants t on t.tenant_id = w.tenant_id
           left join trucks k on k.tenant_id = w.tenant_id and k.id = w.truck_id and w.status in ('dispatched', 'in_progress')
           cross join lateral (select ${IS_POSITION_SHOWN} as is_position_shown) s
           where w.tenant_id = $1 and w.id = $2`,
    values: [tenantId, workOrderId],
  });
  return row;
}
