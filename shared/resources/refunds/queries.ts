import type { RefundListQuery } from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { refundFields } from '../payments/fields.js';

export function listRefunds(query: RefundListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'payment_id', 'status');
  return buildListQuery({
    table: 'refunds',
    representation: refundFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}
