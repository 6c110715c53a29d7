import type { AutopayAttemptListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { autopayAttemptFields } from './fields.js';

export function listAutopayAttempts(query: AutopayAttemptListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'invoice_id', 'payment_method_id', 'status');
  return buildListQuery({
    table: 'autopay_attempts',
    representation: autopayAttemptFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

/** The facts that a payments vendor needs to charge an invoice to a saved method. */
export interface ChargeFacts {
  status: string;
  invoice_id: string;
  invoice_number: string;
  business_name: string;
  amount_cents: number;
  /** What the invoice owes now, less what is on its way. */
  balance_cents: number;
  /** True if the attempt has waited for a day. */
  is_old: boolean;
  /** True if autopay still charges such invoices to the attempt's payment method. */
  is_wanted: boolean;
  /** True if a card reader asks for the invoice. */
  is_on_reader: boolean;
  invoice_status: string;
  method_status: string;
  provider_method_id: string;
  provider_customer_id: string;
  receipt_email: string | null;
}

export async function readChargeFacts(
  db: Database,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<ChargeFacts | undefined> {
  const [row] = await db.read<ChargeFacts>(tenant_id, {
    name: 'read-charge-facts',
    text: `select a.status, a.invoice_id, i.invoice_number, coalesce(t.business_name, t.name) as business_name, a.amount_cents,
             i.balance_due_cents - coalesce((select sum(p.amount_cents) from payments p where p.tenant_id = i.tenant_id
               and p.invoice_id = i.id and p.status = 'processing'), 0)::float8 as balance_cents,
             a.created_at < now() - interval '1 day' as is_old,
             coalesce(coalesce(ri.autopay, c.autopay)->>'payment_method_id' = a.payment_method_id::text, false) as is_wanted,
             exists (select from terminal_payments d where d.tenant_id = i.tenant_id and d.invoice_id = i.id
               and d.status in ('waiting', 'processing')) as is_on_reader, i.status as invoice_status, m.status as method_status,
             m.provider_method_id, m.provider_customer_id, coalesce(i.billing_email, c.billing_email) as receipt_email
           from autopay_attempts a join invoices i on i.tenant_id = a.tenant_id and i.id = a.invoice_id
           join tenants t on t.tenant_id = a.tenant_id
           join saved_methods m on m.tenant_id = a.tenant_id and m.id = a.payment_method_id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           left join recurring_invoices ri on ri.tenant_id = i.tenant_id and ri.id = i.recurring_invoice_id
           where a.tenant_id = $1 and a.id = $2`,
    values: [tenant_id, id],
  });
  return row;
}
