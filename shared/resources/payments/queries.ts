import type { PaymentListQuery } from '../../contracts/generated.js';
import type { Statement } from '../../platform/postgres.js';
import { Conditions, type ListScope, listStatement } from '../keyset-list.js';
import { paymentRepresentation } from './representation.js';

/** The payments of one invoice. */
export function listPayments(query: PaymentListQuery & { invoice_id: string }, scope: ListScope): Statement {
  return listStatement({
    table: 'payments',
    representation: paymentRepresentation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .add('t.invoice_id = ?', query.invoice_id),
    limit: query.limit,
    position: scope.position,
  });
}
