/**
 * Returns SQL for the value of `expression`, which reads the truck's current work order as `j`. The
 * value is null if the truck has no current work order. A truck has at most one.
 */
export function selectFromCurrentWorkOrder(alias: string, expression: string): string {
  return `(select ${expression} from work_orders j where j.tenant_id = ${alias}.tenant_id and j.truck_id = ${alias}.id
    and j.status in ('dispatched', 'in_progress') limit 1)`;
}

const STATUS_FROM_WORK_ORDER = `case
  when j.step in ('on_scene', 'hooked') then 'on_scene'
  when j.step in ('towing', 'at_destination') then 'towing'
  when j.step = 'cleared' then 'returning'
  when j.step = 'en_route' or j.status = 'in_progress' then 'en_route'
  else 'assigned' end`;

/**
 * Returns SQL for the truck's status. While the truck has a current work order, the progress of
 * that work order determines the status. Otherwise the SQL returns the stored status.
 */
export function selectTruckStatus(alias: string): string {
  return `coalesce(${selectFromCurrentWorkOrder(alias, STATUS_FROM_WORK_ORDER)}, ${alias}.status)`;
}
