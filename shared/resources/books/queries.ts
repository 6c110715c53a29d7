import { EFFECTIVE_DUE_DATE } from '../../billing/effective-due-date.js';
import type { BookCustomerState } from '../../integrations/contract/accounting.js';
import type { Database, Transaction } from '../../platform/postgres/database.js';
import { hasConnectionSql } from '../../sync/operation-rows.js';
import { BOOKED_PAYMENT_KIND, CUSTOMER_KIND, INVOICE_KIND } from './kinds.js';
import { wasBookedSql } from './store.js';

/** A record of a connection. */
export interface BookRef {
  tenant_id: string;
  connection_id: string;
  id: string;
}

export async function readBookCustomer(
  db: Database,
  { tenant_id, id }: BookRef,
): Promise<BookCustomerState | undefined> {
  const [row] = await db.read<BookCustomerState>(tenant_id, {
    name: 'read-book-customer',
    text: `select c.company_name as name, c.billing_email as email, c.primary_phone as phone, c.address, c.city, c.state, c.zip
           from customers c where c.tenant_id = $1 and c.id = $2`,
    values: [tenant_id, id],
  });
  return row;
}

export interface BookInvoiceFacts {
  invoice_number: string;
  status: string;
  customer_id: string | null;
  customer_external_id: string | null;
  billing_email: string | null;
  po_number: string | null;
  day: string;
  due_day: string | null;
  tax_cents: number;
  total_cents: number;
  /** True if a write waits that removes a payment of the invoice from the books. */
  has_removals: boolean;
  /** True if any connection has entered the invoice in books. */
  was_booked: boolean;
  lines: {
    name: string;
    description: string | null;
    category: string;
    quantity: number;
    unit_price_cents: number;
    total_cents: number;
    taxable: boolean;
  }[];
}

/** Returns SQL for the id of a record in the books of the connection `$3`. */
function externalId(kind: string, tenant: string, id: string): string {
  return `(select x.external_id from external_ids x where x.tenant_id = ${tenant} and x.connection_id = $3 and x.kind = '${kind}' and x.local_id = ${id})`;
}

/** The day under which the invoice `i` of the tenant `t` enters the books, as YYYY-MM-DD. */
export const BOOKED_DAY_SQL = `to_char(coalesce(i.service_date, i.released_at, i.created_at) at time zone t.time_zone, 'YYYY-MM-DD')`;

export async function readBookInvoice(
  db: Database,
  { tenant_id, id, connection_id }: BookRef,
): Promise<BookInvoiceFacts | undefined> {
  const [row] = await db.read<BookInvoiceFacts>(tenant_id, {
    name: 'read-book-invoice',
    text: `select i.invoice_number, i.status, i.customer_id, ${externalId(CUSTOMER_KIND, 'i.tenant_id', 'i.customer_id')} as customer_external_id,
             coalesce(i.billing_email, c.billing_email) as billing_email, i.po_number, i.tax_cents::float8 as tax_cents, i.total_cents::float8 as total_cents,
             ${wasBookedSql('i', `'${INVOICE_KIND}'`)} as was_booked,
             exists (select from payments p join outbound_operations o on o.tenant_id = p.tenant_id and ${hasConnectionSql('o', '$3')}
               and o.kind = '${BOOKED_PAYMENT_KIND}' and o.local_id = p.id and o.next_at is not null
               where p.tenant_id = i.tenant_id and p.invoice_id = i.id and p.refunded_cents >= p.amount_cents) as has_removals,
             ${BOOKED_DAY_SQL} as day,
             to_char(${EFFECTIVE_DUE_DATE} at time zone t.time_zone, 'YYYY-MM-DD') as due_day,
             coalesce((select json_agg(json_build_object('name', l.name, 'description', l.description, 'category', l.category,
               'quantity', l.quantity, 'unit_price_cents', l.unit_price_cents, 'total_cents', l.total_cents, 'taxable', l.taxable)
               order by l.position) from invoice_line_items l where l.tenant_id = i.tenant_id and l.invoice_id = i.id), '[]'::json) as lines
           from invoices i join tenants t on t.tenant_id = i.tenant_id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           where i.tenant_id = $1 and i.id = $2`,
    values: [tenant_id, id, connection_id],
  });
  return row;
}

export interface BookPaymentFacts {
  status: string;
  amount_cents: number;
  refunded_cents: number;
  applied_cents: number;
  reference: string | null;
  day: string;
  /** The vendor that reported the payment; null if a person recorded it. */
  provider: string | null;
  invoice_id: string;
  customer_id: string | null;
  customer_external_id: string | null;
  invoice_external_id: string | null;
  /** True if the invoice is still to be entered in the books. */
  is_invoice_pending: boolean;
}

/** @param earlierIds earlier connections to the same books, which may have entered the invoice */
export async function readBookPayment(
  db: Database,
  { tenant_id, id, connection_id }: BookRef,
  earlierIds: readonly string[],
): Promise<BookPaymentFacts | undefined> {
  const [row] = await db.read<BookPaymentFacts>(tenant_id, {
    name: 'read-book-payment',
    text: `select p.status, p.amount_cents::float8 as amount_cents, p.refunded_cents::float8 as refunded_cents, p.applied_cents::float8 as applied_cents,
             p.reference, p.provider, p.invoice_id, i.customer_id,
             to_char(p.received_at at time zone t.time_zone, 'YYYY-MM-DD') as day,
             ${externalId(CUSTOMER_KIND, 'i.tenant_id', 'i.customer_id')} as customer_external_id,
             coalesce(${externalId(INVOICE_KIND, 'i.tenant_id', 'i.id')},
               (select x.external_id from external_ids x where x.tenant_id = i.tenant_id and x.connection_id = any($4::uuid[])
                 and x.kind = '${INVOICE_KIND}' and x.local_id = i.id order by x.connection_id desc limit 1)) as invoice_external_id,
             exists (select from outbound_operations o where o.tenant_id = i.tenant_id and ${hasConnectionSql('o', '$3')}
               and o.kind = '${INVOICE_KIND}' and o.local_id = i.id and o.next_at is not null) as is_invoice_pending
           from payments p join tenants t on t.tenant_id = p.tenant_id
           join invoices i on i.tenant_id = p.tenant_id and i.id = p.invoice_id
           where p.tenant_id = $1 and p.id = $2`,
    values: [tenant_id, id, connection_id, earlierIds],
  });
  return row;
}

interface Books {
  tenantId: string;
  connectionId: string;
  /** Earlier connections to the same books. */
  earlierIds: readonly string[];
}

/** Our side of an invoice that is in the books. */
export interface OurInvoice {
  external_id: string;
  id: string;
  invoice_number: string;
  status: string;
  total_cents: number;
}

export async function findOurInvoices(
  tx: Transaction,
  { tenantId, connectionId }: Books,
  externalIds: readonly string[],
): Promise<Map<string, OurInvoice>> {
  const rows = await tx.query<OurInvoice>({
    name: 'find-our-booked-invoices',
    text: `select x.external_id, i.id, i.invoice_number, i.status, i.total_cents::float8 as total_cents
           from external_ids x join invoices i on i.tenant_id = x.tenant_id and i.id = x.local_id
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = '${INVOICE_KIND}' and x.external_id = any($3::text[])`,
    values: [tenantId, connectionId, externalIds],
  });
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** Our side of a payment that is in the books. */
export interface OurPayment {
  external_id: string;
  id: string;
  status: string;
  /** What was paid and not refunded, and the part of it that counts for the invoice. */
  amount_cents: number;
  applied_cents: number;
  provider: string | null;
}

export async function findOurPayments(
  tx: Transaction,
  { tenantId, connectionId }: Books,
  externalIds: readonly string[],
): Promise<Map<string, OurPayment>> {
  const rows = await tx.query<OurPayment>({
    name: 'find-our-booked-payments',
    text: `select x.external_id, p.id, p.status, p.provider, (p.amount_cents - p.refunded_cents)::float8 as amount_cents, p.applied_cents::float8 as applied_cents
           from external_ids x join payments p on p.tenant_id = x.tenant_id and p.id = x.local_id
           where x.tenant_id = $1 and x.connection_id = $2 and x.kind = '${BOOKED_PAYMENT_KIND}' and x.external_id = any($3::text[])`,
    values: [tenantId, connectionId, externalIds],
  });
  return new Map(rows.map((row) => [row.external_id, row]));
}

/** Maps the ids of invoices in the books to those of our invoices. */
export async function findBookedInvoices(
  db: Database,
  { tenantId, connectionId, earlierIds }: Books,
  externalIds: readonly string[],
): Promise<Map<string, string>> {
  if (externalIds.length === 0) return new Map();
  const rows = await db.read<{ external_id: string; local_id: string }>(tenantId, {
    name: 'find-booked-invoices',
    text: `select x.external_id, x.local_id from external_ids x
           where x.tenant_id = $1 and x.connection_id = any($2::uuid[]) and x.kind = '${INVOICE_KIND}' and x.external_id = any($3::text[])`,
    values: [tenantId, [connectionId, ...earlierIds], externalIds],
  });
  return new Map(rows.map(({ external_id, local_id }) => [external_id, local_id]));
}

/**
 * Finds the parts of payments that are known here. A part is named `{payment}/{invoice}`, by the
 * ids in the books.
 */
export async function findBookedParts(
  db: Database,
  { tenantId, connectionId, earlierIds }: Books,
  paymentIds: readonly string[],
): Promise<string[]> {
  if (paymentIds.length === 0) return [];
  const rows = await db.read<{ external_id: string }>(tenantId, {
    name: 'find-booked-parts',
    // Under row-level security, PostgreSQL uses an index only for leakproof operators, such as
    // these of the parts between "payment/" and "payment0": in ASCII, 0 follows the slash. Without
    // offset 0 it would read all parts of the connection, and compare each with the range.
    text: `select x.external_id from unnest($3::text[]) as r(id) cross join lateral (
             select x.external_id from external_ids x where x.tenant_id = $1 and x.connection_id = any($2::uuid[])
               and x.kind = '${BOOKED_PAYMENT_KIND}' and x.external_id collate "C" >= r.id || '/'
               and x.external_id collate "C" < r.id || '0' offset 0) x`,
    values: [tenantId, [connectionId, ...earlierIds], paymentIds],
  });
  return rows.map(({ external_id }) => external_id);
}

/**
 * Finds those of the ids that are payments of the account, each with the part in the books that it
 * is linked to, or null. A payment that was itself made in the books is none of ours there.
 */
export async function findOwnPayments(
  db: Database,
  { tenantId, connectionId, vendor }: Books & { vendor: string },
  ids: readonly string[],
): Promise<Map<string, { invoiceId: string; part: string | null }>> {
  if (ids.length === 0) return new Map();
  const rows = await db.read<{ id: string; invoice_id: string; part: string | null }>(tenantId, {
    name: 'find-own-payments',
    text: `select p.id, p.invoice_id, x.external_id as part from payments p
           left join external_ids x on x.tenant_id = p.tenant_id and x.connection_id = $3 and x.kind = '${BOOKED_PAYMENT_KIND}'
             and x.local_id = p.id
           where p.tenant_id = $1 and p.id = any($2::uuid[]) and p.provider is distinct from $4`,
    values: [tenantId, ids, connectionId, vendor],
  });
  return new Map(rows.map(({ id, invoice_id: invoiceId, part }) => [id, { invoiceId, part }]));
}
