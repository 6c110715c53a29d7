import type { InvoiceListQuery } from '../../contracts/generated.js';
import { splitWords } from '../../contracts/schemas/fields.js';
import { INVOICE_STATUSES } from '../../contracts/vocabulary.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { EXTERNAL_IDS, externalIdsMember } from '../../records/expansions/external-ids.js';
import {
  addDateRange,
  buildListQuery,
  Conditions,
  type FilterScope,
  type ListScope,
} from '../../records/lists/keyset-list.js';
import type { ListQuery } from '../../records/lists/page-query.js';
import { addSearchCondition, type ListSearch } from '../../records/lists/search.js';
import { BY_CREATION, readSort, type SortColumns } from '../../records/lists/sorted-list.js';
import {
  appendMembers,
  defineStoredJson,
  type ItemText,
  itemText,
} from '../../records/stored-json/stored-json.js';
import { customerName } from '../customers/representation.js';
import { invoiceListFields } from './fields.js';
import { agentInvoiceListRepresentation } from './representation.js';
import { invoiceTable } from './table.js';

const INVOICE_IN_LIST = {
  representation: invoiceListFields.representation,
  stored: defineStoredJson(invoiceListFields),
};
const WITH_LINE_ITEMS = itemText(invoiceTable);
const WITHOUT_LINE_ITEMS = itemText(INVOICE_IN_LIST);

const SORTS: SortColumns = {
  ...BY_CREATION,
  due_date: { column: 'due_date', type: 'timestamptz', isNullable: true },
};

/** Returns the SQL of an invoice in a list, with the members that the request expands. */
function representItems({ expand = '' }: InvoiceListQuery): ItemText {
  const expanded = splitWords(expand);
  const text = expanded.includes('line_items') ? WITH_LINE_ITEMS : WITHOUT_LINE_ITEMS;
  return appendMembers(text, [
    ...(expanded.includes('names') ? [customerName('t')] : []),
    ...(expanded.includes(EXTERNAL_IDS) ? [externalIdsMember('invoice', 't')] : []),
  ]);
}

/**
 * Returns the conditions of an export. An export finds the same invoices as a list with the same
 * query.
 */
export function invoiceConditions(query: InvoiceListQuery, scope: FilterScope): Conditions {
  const { conditions, alternatives } = buildFilters(query, scope);
  conditions.addAlternatives(alternatives);
  addSearchCondition(conditions, buildSearch(query, scope));
  return conditions;
}

function buildSearch({ search: term }: InvoiceListQuery, { tenantId }: FilterScope): ListSearch {
  return { term, columns: ['invoice_number', 'po_number'], indexedTenantId: tenantId };
}

function buildFilters(
  query: InvoiceListQuery,
  scope: FilterScope,
): { conditions: Conditions; alternatives: string[] } {
  const statuses = query.status === undefined ? [] : splitWords(query.status);
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'customer_id', 'work_order_id');
  addDateRange(conditions, query.date_field ?? defaultDateField(statuses), {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return { conditions, alternatives: statuses.map((status) => conditions.bind('t.status = ?', status)) };
}

export function listInvoices(query: InvoiceListQuery, scope: ListScope): ListQuery {
  const { conditions, alternatives } = buildFilters(query, scope);
  const sort = readSort(SORTS, query.sort);
  return buildListQuery({
    table: 'invoices',
    ...representItems(query),
    conditions,
    alternatives:
      sort?.column === 'due_date' ? sortableStatuses(query, conditions, alternatives) : alternatives,
    search: buildSearch(query, scope),
    limit: query.limit,
    position: scope.position,
    sort,
  });
}

/**
 * Returns conditions over the status for a list that is sorted by due date. The index has the due
 * dates of each status, so a list of all statuses names each. For the invoices of one customer or
 * work order, PostgreSQL reads them once and sorts them.
 */
function sortableStatuses(
  { customer_id, work_order_id }: InvoiceListQuery,
  conditions: Conditions,
  alternatives: readonly string[],
): readonly string[] {
  if (customer_id !== undefined || work_order_id !== undefined)
    return alternatives.length > 1 ? [`(${alternatives.join(' or ')})`] : alternatives;
  if (alternatives.length > 0) return alternatives;
  return INVOICE_STATUSES.map((status) => conditions.bind('t.status = ?', status));
}

export function listAgentInvoices(
  query: Pick<InvoiceListQuery, 'status' | 'limit'>,
  scope: ListScope,
): SqlQuery {
  return buildListQuery({
    table: 'invoices',
    representation: agentInvoiceListRepresentation('t'),
    ...buildFilters(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}

/**
 * Returns the column that `since` and `until` filter if the request names no column
 * (docs/decisions.md §5, Dates).
 */
function defaultDateField(statuses: readonly string[]): string {
  const isPaid = (status: string) => status === 'paid' || status === 'partially_paid';
  return statuses.length > 0 && statuses.every(isPaid) ? 'paid_at' : 'created_at';
}
