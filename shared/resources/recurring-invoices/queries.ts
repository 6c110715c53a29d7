import type { RecurringInvoiceListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { recurringInvoiceFields } from './fields.js';

export function listRecurringInvoices(query: RecurringInvoiceListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'recurring_invoices',
    representation: recurringInvoiceFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addEqual(query, 'status')
      .addEqual(query, 'customer_id'),
    limit: query.limit,
    position: scope.position,
  });
}
