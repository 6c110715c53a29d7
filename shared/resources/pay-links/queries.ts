import type { PayLinkListQuery } from '../../contracts/generated.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { payLinkFields } from './fields.js';

export const listPayLinks = defineList<PayLinkListQuery>({
  table: 'pay_links',
  fields: payLinkFields,
  filters: ['invoice_id', 'status'],
});

/** The facts that a payments vendor needs to open the page of a pay link. */
export interface PayPageFacts {
  status: string;
  invoice_id: string;
  invoice_number: string;
  amount_cents: number;
  business_name: string;
  customer_email: string | null;
  return_path: string | null;
  external_id: string | null;
}

export async function readPayPageFacts(
  db: Database,
  { tenant_id, id, connection_id }: { tenant_id: string; id: string; connection_id: string },
): Promise<PayPageFacts | undefined> {
  const [row] = await db.read<PayPageFacts>(tenant_id, {
    name: 'read-pay-page-facts',
    text: `select l.status, l.invoice_id, i.invoice_number, l.amount_cents, coalesce(t.business_name, t.name) as business_name,
             coalesce(i.billing_email, c.billing_email) as customer_email, l.return_path, x.external_id
           from pay_links l join invoices i on i.tenant_id = l.tenant_id and i.id = l.invoice_id
           join tenants t on t.tenant_id = l.tenant_id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           left join external_ids x on x.tenant_id = l.tenant_id and x.connection_id = l.connection_id
             and x.kind = 'pay_link' and x.local_id = l.id
           where l.tenant_id = $1 and l.id = $2 and l.connection_id = $3`,
    values: [tenant_id, id, connection_id],
  });
  return row;
}

/**
 * Returns the address of an invoice's pay page, if the page works for at least ten more minutes.
 */
export async function findOpenPayLink(
  db: Database,
  { tenantId, invoiceId }: { tenantId: string; invoiceId: string },
): Promise<string | undefined> {
  const [row] = await db.read<{ url: string }>(tenantId, {
    name: 'find-open-pay-link',
    text: `select l.url from invoices i join pay_links l on l.tenant_id = i.tenant_id and l.id = i.pay_link_id
           where i.tenant_id = $1 and i.id = $2 and l.status = 'open' and l.expires_at > now() + interval '10 minutes'
             and l.amount_cents = i.balance_due_cents`,
    values: [tenantId, invoiceId],
  });
  return row?.url;
}

/** SQL condition on pay links `l`: customers can use the page, or it opens within a moment. */
const IS_CURRENT_SQL = `(l.status = 'open' and l.expires_at > now() + interval '10 minutes'
  or l.status = 'opening' and l.created_at > now() - interval '1 minute')`;

/** The refusal that leads the invoice page to the page that another window has opened. */
export const PAGE_IS_OPEN = 'The invoice has a payment page for this amount already.';

/** Returns the id of the invoice's newest pay link, if customers can use the page now or soon. */
export async function findCurrentPayLink(
  db: Database,
  { tenantId, invoiceId }: { tenantId: string; invoiceId: string },
): Promise<string | undefined> {
  const [row] = await db.read<{ id: string }>(tenantId, {
    name: 'find-current-pay-link',
    text: `select l.id from invoices i join pay_links l on l.tenant_id = i.tenant_id and l.id = i.pay_link_id
           where i.tenant_id = $1 and i.id = $2 and ${IS_CURRENT_SQL}`,
    values: [tenantId, invoiceId],
  });
  return row?.id;
}

/** Maps each of these pay links that customers can use now or soon to its amount in cents. */
export async function findCurrentAmounts(
  tx: Transaction,
  links: readonly RecordRef[],
): Promise<Map<string, number>> {
  if (links.length === 0) return new Map();
  const rows = await tx.query<RecordRef & { amount_cents: number }>({
    name: 'find-current-pay-link-amounts',
    text: `select l.tenant_id, l.id, l.amount_cents from ${recordsetSql('tenant_id uuid, id uuid')}
           join pay_links l on l.tenant_id = r.tenant_id and l.id = r.id where ${IS_CURRENT_SQL}`,
    values: [JSON.stringify(links)],
  });
  return new Map(rows.map((row) => [refKey(row), row.amount_cents]));
}

/** A pay link in a sandbox that pretends the payment. */
export interface PretendLink {
  invoice_id: string;
  invoice_number: string;
  amount_cents: number;
  status: string;
  /** Null if the customer has not paid yet. */
  payment_status: string | null;
}

export async function readPretendLink(
  db: Database,
  { tenantId, payLinkId }: { tenantId: string; payLinkId: string },
): Promise<PretendLink | undefined> {
  const [row] = await db.read<PretendLink>(tenantId, {
    name: 'read-pretend-link',
    text: `select l.invoice_id, i.invoice_number, l.amount_cents, l.status,
             (select p.status from payments p where p.tenant_id = l.tenant_id and p.pay_link_id = l.id limit 1) as payment_status
           from pay_links l join invoices i on i.tenant_id = l.tenant_id and i.id = l.invoice_id
           join tenants t on t.tenant_id = l.tenant_id and t.environment = 'sandbox'
           where l.tenant_id = $1 and l.id = $2 and l.connection_id is null`,
    values: [tenantId, payLinkId],
  });
  return row;
}
