import type { Transaction } from '../../platform/postgres/database.js';
import { makeWaitingDue } from '../../sync/due-operations.js';
import { hasConnectionSql, insertOperations, type StartedOperation } from '../../sync/operation-rows.js';
import { BOOK_VERB, BOOKED_PAYMENT_KIND, INVOICE_KIND } from './kinds.js';

/** The write that the books have accepted. */
type Accepted = Pick<StartedOperation, 'tenant_id' | 'connection_id' | 'local_id'>;

/** Lets the invoices of a customer try again, because the customer is in the books now. */
export async function wakeInvoicesOfCustomer(
  tx: Transaction,
  { tenant_id, connection_id, local_id }: Accepted,
): Promise<void> {
  const rows = await tx.query<{ local_id: string }>({
    name: 'find-waiting-invoices',
    text: `select o.local_id from outbound_operations o join invoices i on i.tenant_id = o.tenant_id and i.id = o.local_id
           where o.tenant_id = $1 and o.connection_id = $2 and o.kind = '${INVOICE_KIND}' and o.next_at > now() and i.customer_id = $3`,
    values: [tenant_id, connection_id, local_id],
  });
  const localIds = rows.map(({ local_id: id }) => id);
  await makeWaitingDue(tx, { tenant_id, connection_id }, { kind: INVOICE_KIND, localIds });
}

/** Lets the invoice of a payment try again: a void one waits until its payments are removed. */
export async function wakeInvoiceOfPayment(
  tx: Transaction,
  { tenant_id, connection_id, local_id }: Accepted,
): Promise<void> {
  const rows = await tx.query<{ invoice_id: string }>({
    name: 'find-invoice-of-payment',
    text: `select p.invoice_id from payments p where p.tenant_id = $1 and p.id = $2 and p.refunded_cents >= p.amount_cents`,
    values: [tenant_id, local_id],
  });
  const localIds = rows.map(({ invoice_id: id }) => id);
  await makeWaitingDue(tx, { tenant_id, connection_id }, { kind: INVOICE_KIND, localIds });
}

/**
 * Enters the payments of an invoice that is in the books now: those that wait for it, those that
 * were given up because it was not there, and those that were never to be entered.
 */
export async function bookPaymentsOfInvoice(
  tx: Transaction,
  { tenant_id, connection_id, local_id }: Accepted,
): Promise<void> {
  const rows = await tx.query<{ id: string; is_waiting: boolean; is_missing: boolean }>({
    name: 'find-unbooked-payments',
    text: `select p.id, o.next_at is not null as is_waiting, (o.id is null or o.last_error_kind = 'cancelled') and not exists (
             select from external_ids x where x.tenant_id = p.tenant_id and x.connection_id = $2 and x.kind = '${BOOKED_PAYMENT_KIND}'
               and x.local_id = p.id) as is_missing
           from payments p join connections c on c.tenant_id = p.tenant_id and c.id = $2
           left join lateral (
             select o.id, o.next_at, o.last_error_kind from outbound_operations o
             where o.tenant_id = p.tenant_id and ${hasConnectionSql('o', '$2')} and o.kind = '${BOOKED_PAYMENT_KIND}' and o.local_id = p.id
             order by o.id desc limit 1) o on true
           where p.tenant_id = $1 and p.invoice_id = $3 and p.status = 'succeeded' and p.amount_cents > p.refunded_cents
             and p.provider is distinct from c.vendor`,
    values: [tenant_id, connection_id, local_id],
  });
  const localIds = rows.filter((row) => row.is_waiting).map(({ id }) => id);
  await makeWaitingDue(tx, { tenant_id, connection_id }, { kind: BOOKED_PAYMENT_KIND, localIds });
  const base = { tenant_id, connection_id, kind: BOOKED_PAYMENT_KIND, verb: BOOK_VERB, is_creation: false };
  await insertOperations(
    tx,
    rows.filter((row) => row.is_missing).map(({ id }) => ({ ...base, local_id: id })),
  );
}
