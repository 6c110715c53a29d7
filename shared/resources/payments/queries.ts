import type { PaymentListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { externalIdsMember } from '../../records/expansions/external-ids.js';
import { addDateRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { appendMembers, itemText } from '../../records/stored-json/stored-json.js';
import { paymentFields } from './fields.js';

const PAYMENT_ITEM = itemText(paymentFields);
const WITH_EXTERNAL_IDS = appendMembers(PAYMENT_ITEM, [externalIdsMember('payment', 't')]);

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
    ...(query.expand ? WITH_EXTERNAL_IDS : PAYMENT_ITEM),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

/** The facts that a vendor needs for paying a refund. */
export interface RefundFacts {
  amount_cents: number;
  provider_payment_id: string;
}

export async function readRefundFacts(
  db: Database,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<RefundFacts | undefined> {
  const [row] = await db.read<RefundFacts>(tenant_id, {
    name: 'read-refund-facts',
    text: `select r.amount_cents, p.provider_payment_id from refunds r
           join payments p on p.tenant_id = r.tenant_id and p.id = r.payment_id
           where r.tenant_id = $1 and r.id = $2 and p.provider_payment_id is not null`,
    values: [tenant_id, id],
  });
  return row;
}
