import type { PaymentListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { addDateRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { paymentFields } from './fields.js';

export function listPayments(query: PaymentListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'invoice_id', 'method', 'status');
  addDateRange(conditions, 'received_at', {
    since: query.since,
    until: query.until,
    timeZone: scope.timeZone,
  });
  return buildListQuery({
    table: 'payments',
    representation: paymentFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
