import type { LoggedStepListQuery } from '../../../contracts/generated.js';
import { jsonObject, jsonTime } from '../../../contracts/resource.js';
import type { SqlQuery } from '../../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../../records/lists/keyset-list.js';
import { STEP_ACTIONS } from './schema.js';

export interface StepsOfWorkOrder extends LoggedStepListQuery {
  work_order_id: string;
}

const PREFIX = 'work_order.';
const AUDIT_ACTIONS = STEP_ACTIONS.map((action) => `'${PREFIX}${action}'`).join(', ');

/**
 * Lists what happened to a work order, newest first. The audit log has who did it, also for the
 * moves that store no row; a step of the driver has the id of its audit entry. The list shows only
 * what readers of the work order may see of an entry.
 */
export function listWorkOrderSteps(query: StepsOfWorkOrder, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'audit_entries',
    representation: loggedStepRepresentation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .add('t.entity_id = ?', query.work_order_id)
      .add(`t.action in (${AUDIT_ACTIONS}) and t.outcome = 'ok' and t.changes <> '[]'`),
    limit: query.limit,
    position: scope.position,
    idTimeColumn: 'occurred_at',
  });
}

function loggedStepRepresentation(alias: string): string {
  const changed = (field: string) => `changed.fields ->> '${field}'`;
  const happenedAt = `coalesce(s.at, (${changed('completion_time')})::timestamptz, ${alias}.occurred_at)`;
  const actor = jsonObject(
    alias,
    ['type', 'id', 'name'].map((name) => ({ name, sql: `${alias}.actor_${name}` })),
  );
  const columns = [
    { name: 'id', sql: `${alias}.id` },
    jsonTime(alias, 'at', happenedAt),
    jsonTime(alias, 'recorded_at', `${alias}.occurred_at`),
    { name: 'action', sql: `substr(${alias}.action, ${PREFIX.length + 1})` },
    { name: 'step', sql: `coalesce(s.step, ${changed('step')})` },
    { name: 'truck_id', sql: `coalesce(s.truck_id::text, ${changed('truck_id')})` },
    { name: 'driver_id', sql: `coalesce(s.driver_id::text, ${changed('driver_id')})` },
    { name: 'lat', sql: 's.lat' },
    { name: 'lng', sql: 's.lng' },
    { name: 'cancel_reason', sql: changed('cancel_reason') },
    { name: 'cancel_note', sql: changed('cancel_note') },
    { name: 'actor', sql: actor },
  ].map(({ name, sql }) => `${sql} as ${name}`);
  return `(select row_to_json(o) from (
    select ${columns.join(', ')}
    from (
      select jsonb_object_agg(c ->> 'field', c -> 'to') as fields from jsonb_array_elements(${alias}.changes) c
    ) changed
    left join work_order_steps s on s.tenant_id = ${alias}.tenant_id and s.id = ${alias}.id
  ) o)`;
}
