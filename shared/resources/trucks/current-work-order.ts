/**
 * Returns SQL for the value of `expression`, which reads the truck's current work order as `j`. The
 * value is null if the truck has no current work order. A truck has at most one.
 */
export function selectFromCurrentWorkOrder(alias: string, expression: string): string {
  return `(select ${expression} from work_orders j where j.tenant_id = ${alias}.tenant_id and j.truck_id = ${alias}.id
    and j.status in ('dispatched', 'in_progress') limit 1)`;
}

/**
 * Returns SQL for the truck's status that follows from the progress of its work order. `alias` is
 * the dispatched or in_progress work order.
 */
export function selectProgress(alias: string): string {
  return `case
  when ${alias}.step in ('on_scene', 'hooked') then 'on_scene'
  when ${alias}.step in ('towing', 'at_destination') then 'towing'
  when ${alias}.step = 'cleared' then 'returning'
  when ${alias}.step = 'en_route' or ${alias}.status = 'in_progress' then 'en_route'
  else 'assigned' end`;
}

/**
 * Returns SQL for the truck's status. While the truck has a current work order, the progress of
 * that work order determines the status. Otherwise the SQL returns the stored status.
 */
export function selectTruckStatus(alias: string): string {
  return `coalesce(${selectFromCurrentWorkOrder(alias, selectProgress('j'))}, ${alias}.status)`;
}
