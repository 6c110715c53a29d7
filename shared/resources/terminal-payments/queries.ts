import type { TerminalPaymentListQuery } from '../../contracts/generated.js';
import type { Database } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { terminalPaymentFields } from './fields.js';

export const listTerminalPayments = defineList<TerminalPaymentListQuery>({
  table: 'terminal_payments',
  fields: terminalPaymentFields,
  filters: ['invoice_id', 'reader_id', 'status'],
});

/** The facts that a payments vendor needs about a terminal payment. */
export interface TerminalPaymentFacts {
  status: string;
  invoice_id: string;
  invoice_number: string;
  amount_cents: number;
  business_name: string;
  reader_external_id: string;
  /** The vendor's id of the payment; null before the vendor has accepted it. */
  external_id: string | null;
  is_cancel_requested: boolean;
  is_expired: boolean;
}

export async function readTerminalPaymentFacts(
  db: Database,
  { tenant_id, id, connection_id }: { tenant_id: string; id: string; connection_id: string },
): Promise<TerminalPaymentFacts | undefined> {
  const [row] = await db.read<TerminalPaymentFacts>(tenant_id, {
    name: 'read-terminal-payment-facts',
    text: `select p.status, p.invoice_id, i.invoice_number, p.amount_cents, coalesce(t.business_name, t.name) as business_name,
             r.external_id as reader_external_id, x.external_id, p.cancel_requested_at is not null as is_cancel_requested,
             p.expires_at <= now() as is_expired
           from terminal_payments p join invoices i on i.tenant_id = p.tenant_id and i.id = p.invoice_id
           join tenants t on t.tenant_id = p.tenant_id
           join terminal_readers r on r.tenant_id = p.tenant_id and r.id = p.reader_id
           left join external_ids x on x.tenant_id = p.tenant_id and x.connection_id = p.connection_id
             and x.kind = 'terminal_payment' and x.local_id = p.id
           where p.tenant_id = $1 and p.id = $2 and p.connection_id = $3`,
    values: [tenant_id, id, connection_id],
  });
  return row;
}

/** A terminal payment that a sandbox only pretends. */
export interface PretendTerminalPayment {
  invoice_id: string;
  invoice_number: string;
  amount_cents: number;
  status: string;
  is_expired: boolean;
}

export async function readPretendTerminalPayment(
  db: Database,
  { tenantId, terminalPaymentId }: { tenantId: string; terminalPaymentId: string },
): Promise<PretendTerminalPayment | undefined> {
  const [row] = await db.read<PretendTerminalPayment>(tenantId, {
    name: 'read-pretend-terminal-payment',
    text: `select p.invoice_id, i.invoice_number, p.amount_cents, p.status, p.expires_at <= now() as is_expired
           from terminal_payments p join invoices i on i.tenant_id = p.tenant_id and i.id = p.invoice_id
           join tenants t on t.tenant_id = p.tenant_id and t.environment = 'sandbox'
           where p.tenant_id = $1 and p.id = $2 and p.connection_id is null`,
    values: [tenantId, terminalPaymentId],
  });
  return row;
}
