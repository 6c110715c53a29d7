import type { LoggedStepListQuery, WorkOrderListQuery } from '../../contracts/generated.js';
import { jsonObject, jsonTime } from '../../contracts/resource.js';
import { splitWords } from '../../contracts/schemas/fields.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import {
  addDateRange,
  buildListQuery,
  Conditions,
  type FilterScope,
  type ListScope,
} from '../../records/lists/keyset-list.js';
import type { ListQuery } from '../../records/lists/page-query.js';
import { addSearchCondition, type ListSearch } from '../../records/lists/search.js';
import { BY_CREATION, readSort } from '../../records/lists/sorted-list.js';
import { appendMembers, itemText } from '../../records/stored-json/stored-json.js';
import { STEP_ACTIONS } from './enums.js';
import { agentWorkOrderListRepresentation, agentWorkOrderMembers, workOrderNames } from './representation.js';
import { workOrderTable } from './table.js';

const WORK_ORDER_ITEM = itemText(workOrderTable);
const WITH_NAMES = appendMembers(WORK_ORDER_ITEM, workOrderNames('t'));

/**
 * Returns the conditions of an export. An export finds the same work orders as a list with the same
 * query. The status `pending` includes unaccepted work orders; `new` selects only unaccepted ones.
 */
export function workOrderConditions(query: WorkOrderListQuery, scope: FilterScope): Conditions {
  const { conditions, alternatives } = workOrderFilters(query, scope);
  conditions.addAlternatives(alternatives);
  addSearchCondition(conditions, workOrderSearch(query, scope));
  return conditions;
}

function workOrderSearch({ search: term }: WorkOrderListQuery, { tenantId }: FilterScope): ListSearch {
  return { term, columns: ['job_number', 'vin'], indexedTenantId: tenantId };
}

function workOrderFilters(
  query: WorkOrderListQuery,
  scope: FilterScope,
): { conditions: Conditions; alternatives: string[] } {
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId);
  const named = query.status === undefined ? [] : splitWords(query.status);
  const statuses = named.includes('pending') ? named.filter((status) => status !== 'new') : named;
  const alternatives = statuses.map((status) =>
    status === 'new' ? "t.status = 'pending' and t.intake = 'new'" : conditions.bind('t.status = ?', status),
  );
  conditions.addEqual(query, 'service_type', 'customer_id');
  addDateRange(conditions, query.date_field ?? 'created_at', {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return { conditions, alternatives };
}

export function listWorkOrders(query: WorkOrderListQuery, scope: ListScope): ListQuery {
  return buildListQuery({
    table: 'work_orders',
    ...(query.expand ? WITH_NAMES : WORK_ORDER_ITEM),
    ...workOrderFilters(query, scope),
    search: workOrderSearch(query, scope),
    limit: query.limit,
    position: scope.position,
    sort: readSort(BY_CREATION, query.sort),
  });
}

/**
 * Lists work orders with the members that agents see in a list. For agents, `pending` excludes
 * unaccepted work orders.
 */
export function listAgentWorkOrders(
  query: Pick<WorkOrderListQuery, 'status' | 'limit'>,
  scope: ListScope,
): SqlQuery {
  const { status, limit } = query;
  const conditions = new Conditions().add('t.tenant_id = ?', scope.tenantId);
  if (status === 'new' || status === 'pending')
    conditions.add("t.status = 'pending'").add('t.intake = ?', status === 'new' ? 'new' : 'accepted');
  else conditions.addIf(status, 't.status = ?');
  return buildListQuery({
    table: 'work_orders',
    representation: agentWorkOrderListRepresentation('t'),
    conditions,
    limit,
    position: scope.position,
  });
}

export function readAgentWorkOrder(tenantId: string, id: string): SqlQuery {
  return {
    name: 'read-agent-work-order',
    text: `select (${jsonObject('t', agentWorkOrderMembers('t'))})::text as body from work_orders t where t.tenant_id = $1 and t.id = $2`,
    values: [tenantId, id],
  };
}

export interface StepsOfWorkOrder extends LoggedStepListQuery {
  work_order_id: string;
}

const PREFIX = 'work_order.';
const AUDIT_ACTIONS = STEP_ACTIONS.map((action) => `'${PREFIX}${action}'`).join(', ');

/**
 * Lists the history of a work order, newest first. The history comes from the audit log, because no
 * other table contains the actors and all moves. The id of a driver's step is the id of its audit
 * entry. The list shows only the parts of an entry that readers of the work order may see.
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
