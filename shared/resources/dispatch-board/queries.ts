import { jsonObject } from '../../contracts/resource.js';
import type { Statement } from '../../platform/postgres.js';
import { driverRepresentation } from '../drivers/representation.js';
import { truckMembers, truckStatus } from '../trucks/representation.js';
import { workOrderMembers } from '../work-orders/representation.js';

/** Jobs of these states with whole seconds since a column, most urgent first. */
function jobs(statuses: string, since: { name: string; column: string }): string {
  const elapsed = {
    name: since.name,
    sql: `greatest(0, extract(epoch from now() - coalesce(t.${since.column}, t.created_at)))::bigint`,
  };
  return `select coalesce(string_agg((${jsonObject('t', [...workOrderMembers('t'), 'priority', elapsed])})::text, ','
            order by t.priority desc, t.created_at, t.id), '') as items, count(*)::int as count
          from work_orders t where t.tenant_id = $1 and t.status in (${statuses})`;
}

const DRIVER = `(select ${driverRepresentation('d')} from drivers d where d.tenant_id = t.tenant_id and d.id = t.driver_id)`;

/** One statement, so that the parts of the board are of one moment; PostgreSQL renders it whole. */
const TEXT = `
  with active as materialized (${jobs("'dispatched', 'in_progress'", { name: 'elapsed_s', column: 'dispatch_time' })}),
  unassigned as materialized (${jobs("'pending'", { name: 'waiting_s', column: 'created_at' })}),
  fleet as materialized (
    select coalesce(string_agg((${jsonObject('t', [...truckMembers('t'), { name: 'driver', sql: DRIVER }])})::text, ',' order by t.unit_number), '') as items,
      count(*)::int as count, (count(*) filter (where ${truckStatus('t')} = 'available'))::int as available
    from trucks t where t.tenant_id = $1)
  select concat('{"generated_at":"', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","active_jobs":[', active.items,
    '],"trucks":[', fleet.items, '],"unassigned_work_orders":[', unassigned.items, '],"counts":{"active_jobs":', active.count,
    ',"unassigned_work_orders":', unassigned.count, ',"trucks":', fleet.count, ',"trucks_available":', fleet.available, '}}') as body
  from active, unassigned, fleet`;

/** The board of a tenant (decisions 9) as JSON text. */
export function readDispatchBoard(tenantId: string): Statement {
  return { name: 'dispatch-board', text: TEXT, values: [tenantId] };
}
