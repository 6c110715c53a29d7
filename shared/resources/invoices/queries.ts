import type { InvoiceListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import {
  addDateRange,
  Conditions,
  containsPattern,
  type FilterScope,
  type ListScope,
  listStatement,
} from '../keyset-list.js';
import { invoiceListRepresentation, invoiceRepresentation } from './representation.js';

/** Which invoices a query means: those of its list, and of an export with the same filters. */
export function invoiceConditions(query: InvoiceListQuery, scope: FilterScope): Conditions {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addIf(query.status, 't.status = ?')
    .addIf(query.customer_id, 't.customer_id = ?');
  if (query.search !== undefined) {
    const pattern = containsPattern(query.search);
    conditions.add('(t.invoice_number ilike ? or t.po_number ilike ?)', pattern, pattern);
  }
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
    conditions: invoiceConditions(query, scope),
    limit: query.limit,
    position: scope.position,
  });
}

/** Paid invoices are asked for by the day they were paid (decisions 5, Dates). */
function defaultDateField(status: InvoiceListQuery['status']): string {
  return status === 'paid' || status === 'partially_paid' ? 'paid_at' : 'created_at';
}
