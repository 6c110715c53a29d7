import { jsonObject, jsonTime } from '../../contracts/resource.js';

/** A position older than this is marked stale. */
const STALE_AFTER = '5 minutes';

/**
 * SQL: the value of `expression` for the truck's current work order, `j`; null if the truck has
 * none. A truck never has more than one current work order.
 */
function selectFromCurrentWorkOrder(alias: string, expression: string): string {
  return `(select ${expression} from work_orders j where j.tenant_id = ${alias}.tenant_id and j.truck_id = ${alias}.id
    and j.status in ('dispatched', 'in_progress') limit 1)`;
}

const STATUS_FROM_WORK_ORDER = `case
  when j.step in ('on_scene', 'hooked') then 'on_scene'
  when j.step in ('towing', 'at_destination') then 'towing'
  when j.step = 'cleared' then 'returning'
  when j.step = 'en_route' or j.status = 'in_progress' then 'en_route'
  else 'assigned' end`;

/** SQL: the truck's status, from the progress of its work order; without one, the stored status. */
export function selectTruckStatus(alias: string): string {
  return `coalesce(${selectFromCurrentWorkOrder(alias, STATUS_FROM_WORK_ORDER)}, ${alias}.status)`;
}

function location(alias: string): string {
  const position = jsonObject(alias, [
    'lat',
    'lng',
    'heading',
    'speed_mph',
    { ...jsonTime(alias, 'located_at'), name: 'at' },
    { name: 'stale', sql: `${alias}.located_at < now() - interval '${STALE_AFTER}'` },
  ]);
  return `case when ${alias}.located_at is not null then ${position} end`;
}

export function truckMembers(alias: string): Parameters<typeof jsonObject>[1] {
  return [
    'id',
    'unit_number',
    'duty_class',
    { name: 'status', sql: selectTruckStatus(alias) },
    'driver_id',
    'vin',
    'plate',
    'make',
    'model',
    'year',
    { name: 'location', sql: location(alias) },
    { name: 'current_work_order_id', sql: selectFromCurrentWorkOrder(alias, 'j.id') },
    jsonTime(alias, 'created_at'),
    jsonTime(alias, 'updated_at'),
  ];
}

export function truckRepresentation(alias: string): string {
  return jsonObject(alias, truckMembers(alias));
}
