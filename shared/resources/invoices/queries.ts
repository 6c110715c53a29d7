import type { InvoiceListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { addDateRange, Conditions, type FilterScope, type ListScope, listStatement } from '../keyset-list.js';
import { addSearch, type Search } from '../search.js';
import {
  agentInvoiceListRepresentation,
  invoiceListRepresentation,
  invoiceRepresentation,
} from './representation.js';

/** Which invoices a query means: those of its list, and of an export with the same filters. */
export function invoiceConditions(query: InvoiceListQuery, scope: FilterScope): Conditions {
  const conditions = invoiceFilters(query, scope);
  const search = invoiceSearch(query, scope);
  if (search) addSearch(conditions, search);
  return conditions;
}

function invoiceSearch({ search }: InvoiceListQuery, { tenantId }: FilterScope): Search | undefined {
  if (search === undefined) return undefined;
  return { term: search, columns: ['invoice_number', 'po_number'], indexedTenantId: tenantId };
}

function invoiceFilters(query: InvoiceListQuery, scope: FilterScope): Conditions {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.status, 't.status = ?')
    .addIf(query.customer_id, 't.customer_id = ?');
  addDateRange(conditions, query.date_field ?? defaultDateField(query.status), {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return conditions;
}

/** The page of invoices that a query asks for. */
export function listInvoices(query: InvoiceListQuery, scope: ListScope): Statement {
  return listStatement({
    table: 'invoices',
    representation: query.expand ? invoiceRepresentation('t') : invoiceListRepresentation('t'),
    conditions: invoiceFilters(query, scope),
    search: invoiceSearch(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}

/** The page of invoices for agents, with fewer members. */
export function listAgentInvoices(
  query: Pick<InvoiceListQuery, 'status' | 'limit'>,
  scope: ListScope,
): Statement {
  return listStatement({
    table: 'invoices',
    representation: agentInvoiceListRepresentation('t'),
    conditions: invoiceFilters(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}

/** Paid invoices are asked for by the day they were paid (decisions 5, Dates). */
function defaultDateField(status: InvoiceListQuery['status']): string {
  return status === 'paid' || status === 'partially_paid' ? 'paid_at' : 'created_at';
}
