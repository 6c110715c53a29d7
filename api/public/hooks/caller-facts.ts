import type { Database } from '../../../shared/platform/postgres/database.js';
import { phoneKeySql, toPhoneKey } from '../../../shared/resources/text-consents/phone-key.js';

/** The facts about a caller's number. */
export interface CallerFacts {
  business_name: string;
  /** The newest open work order whose contact has this number. */
  job: { status: string; eta_minutes: number | null } | null;
  /** The newest invoice with a balance due whose work order or customer has this number. */
  invoice: { id: string; invoice_number: string; balance_cents: number } | null;
}

const OPEN_INVOICE = `i.balance_due_cents > 0 and i.status in ('sending', 'viewed', 'partially_paid', 'overdue')`;

export async function readCallerFacts(
  db: Database,
  { tenantId, phone }: { tenantId: string; phone: string },
): Promise<CallerFacts> {
  const [row] = await db.read<CallerFacts>(tenantId, {
    name: 'read-caller-facts',
    text: `select coalesce(t.business_name, t.name) as business_name,
             (select json_build_object('status', w.status,
                'eta_minutes', ceil(extract(epoch from w.eta - now()) / 60)::int)
              from work_orders w where w.tenant_id = $1 and ${phoneKeySql('w.contact_phone')} = $2 and w.contact_phone is not null
                and w.status in ('pending', 'dispatched', 'in_progress') order by w.id desc limit 1) as job,
             (select json_build_object('id', i.id, 'invoice_number', i.invoice_number, 'balance_cents', i.balance_due_cents)
              from invoices i join (
                select w.id as work_order_id, null::uuid as customer_id from work_orders w
                where w.tenant_id = $1 and ${phoneKeySql('w.contact_phone')} = $2 and w.contact_phone is not null
                union all
                select null, c.id from customers c
                where c.tenant_id = $1 and ${phoneKeySql('c.primary_phone')} = $2 and c.primary_phone is not null) o
                on i.work_order_id = o.work_order_id or i.customer_id = o.customer_id
              where i.tenant_id = $1 and ${OPEN_INVOICE} order by i.id desc limit 1) as invoice
           from tenants t where t.tenant_id = $1`,
    values: [tenantId, toPhoneKey(phone)],
  });
  if (!row) throw new Error('the account of a call does not exist');
  return row;
}
