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
import { BY_CREATION, type ListSort, readSort, type SortColumns } from '../../records/lists/sorted-list.js';
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

interface Filters {
  conditions: Conditions;
  /** One condition per status that the request names. */
  alternatives: string[];
}

function buildFilters(query: InvoiceListQuery, scope: FilterScope): Filters {
  const statuses = query.status === undefined ? [] : splitWords(query.status);
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'customer_id', 'work_order_id');
  addDateRange(conditions, chooseDateField(query), {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return { conditions, alternatives: statuses.map((status) => conditions.bind('t.status = ?', status)) };
}

export function listInvoices(query: InvoiceListQuery, scope: ListScope): ListQuery {
  const filters = buildFilters(query, scope);
  const sort = readSort(SORTS, query.sort);
  return buildListQuery({
    table: 'invoices',
    ...representItems(query),
    ...filters,
    search: buildSearch(query, scope),
    limit: query.limit,
    position: scope.position,
    ...(sort?.column === 'due_date' ? planByDueDate(query, filters, sort) : { sort }),
  });
}

/**
 * Plans a list that is sorted by due date. The index has the due dates of each status, so a list of
 * all statuses names each. The invoices of one customer, of one work order or created in a range of
 * time are read through the index of that filter and sorted. Of these, the index of due dates would
 * find the first only after reading invoices that the filter excludes: those that were created last
 * are the last to be due.
 */
function planByDueDate(
  query: InvoiceListQuery,
  { conditions, alternatives }: Filters,
  sort: ListSort,
): { sort: ListSort; alternatives: string[] } {
  const { customer_id, work_order_id, since, until } = query;
  const hasRange = (since !== undefined || until !== undefined) && chooseDateField(query) === 'created_at';
  if (hasRange || customer_id !== undefined || work_order_id !== undefined)
    return { sort: { ...sort, readsAllRecords: true }, alternatives };
  if (alternatives.length > 0) return { sort, alternatives };
  return { sort, alternatives: INVOICE_STATUSES.map((status) => conditions.bind('t.status = ?', status)) };
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

/** Returns the column that `since` and `until` filter (docs/decisions.md §5, Dates). */
function chooseDateField({ date_field, status }: InvoiceListQuery): string {
  if (date_field !== undefined) return date_field;
  const statuses = status === undefined ? [] : splitWords(status);
  const isPaid = (one: string) => one === 'paid' || one === 'partially_paid';
  return statuses.length > 0 && statuses.every(isPaid) ? 'paid_at' : 'created_at';
}
