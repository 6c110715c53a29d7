import type { AutopayAttemptListQuery } from '../../contracts/generated.js';
import type { Database } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { autopayAttemptFields } from './fields.js';

export const listAutopayAttempts = defineList<AutopayAttemptListQuery>({
  table: 'autopay_attempts',
  fields: autopayAttemptFields,
  filters: ['invoice_id', 'payment_method_id', 'status'],
});

/** The facts that are needed to charge an invoice to a saved method. */
export interface ChargeFacts {
  status: string;
  invoice_id: string;
  invoice_number: string;
  business_name: string;
  amount_cents: number;
  /** The amount that the invoice owes now, minus the bank debits that are still processing. */
  balance_cents: number;
  /** True if the attempt was created more than a day ago. */
  is_old: boolean;
  /**
   * True if autopay of the customer or the recurring invoice still uses the attempt's payment
   * method.
   */
  is_wanted: boolean;
  /** True if a card reader is asking a customer to pay the invoice. */
  is_on_reader: boolean;
  invoice_status: string;
  method_status: string;
  method_type: string | null;
  provider_method_id: string;
  provider_customer_id: string;
  receipt_email: string | null;
}

/**
 * SQL that selects the {@link ChargeFacts} of all attempts `a`. Callers append a `where` clause.
 */
export const CHARGE_FACTS_SQL = `select a.tenant_id, a.id, a.status, a.invoice_id, i.invoice_number, coalesce(n.business_name, n.name) as business_name, a.amount_cents,
    i.balance_due_cents - coalesce((select sum(p.amount_cents) from payments p where p.tenant_id = i.tenant_id
      and p.invoice_id = i.id and p.status = 'processing'), 0)::float8 as balance_cents,
    a.created_at < now() - interval '1 day' as is_old,
    coalesce(coalesce(ri.autopay, c.autopay)->>'payment_method_id' = a.payment_method_id::text, false) as is_wanted,
    exists (select from terminal_payments d where d.tenant_id = i.tenant_id and d.invoice_id = i.id
      and d.status in ('waiting', 'processing')) as is_on_reader, i.status as invoice_status, m.status as method_status, m.type as method_type,
    m.provider_method_id, m.provider_customer_id, coalesce(i.billing_email, c.billing_email) as receipt_email
  from autopay_attempts a join invoices i on i.tenant_id = a.tenant_id and i.id = a.invoice_id
  join tenants n on n.tenant_id = a.tenant_id
  join saved_methods m on m.tenant_id = a.tenant_id and m.id = a.payment_method_id
  left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
  left join recurring_invoices ri on ri.tenant_id = i.tenant_id and ri.id = i.recurring_invoice_id`;

export async function readChargeFacts(
  db: Database,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<ChargeFacts | undefined> {
  const [row] = await db.read<ChargeFacts>(tenant_id, {
    name: 'read-charge-facts',
    text: `${CHARGE_FACTS_SQL} where a.tenant_id = $1 and a.id = $2`,
    values: [tenant_id, id],
  });
  return row;
}
