import type { WorkOrderListQuery } from '../../contracts/generated.js';
import { jsonObject } from '../../contracts/resource.js';
import { splitWords } from '../../contracts/schemas/fields.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import {
  addDateRange,
  buildListQuery,
  Conditions,
  type FilterScope,
  type ListScope,
} from '../../records/lists/keyset-list.js';
import { addSearchCondition, type ListSearch } from '../../records/lists/search.js';
import { appendMembers, jsonText } from '../../records/stored-json/stored-json.js';
import { agentWorkOrderListRepresentation, agentWorkOrderMembers, workOrderNames } from './representation.js';
import { workOrderTable } from './table.js';

const WORK_ORDER_JSON = jsonText(workOrderTable, 't');
const WITH_NAMES = appendMembers(WORK_ORDER_JSON, 't', workOrderNames('t'));

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

export function listWorkOrders(query: WorkOrderListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'work_orders',
    representation: query.expand ? WITH_NAMES : WORK_ORDER_JSON,
    ...workOrderFilters(query, scope),
    search: workOrderSearch(query, scope),
    limit: query.limit,
    position: scope.position,
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
