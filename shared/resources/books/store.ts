import type { Actor, Change } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { hasConnectionSql, insertOperations, type NewOperation } from '../../sync/operation-rows.js';
import { findBooks } from './find-books.js';
import { BOOK_VERB, BOOKED_PAYMENT_KIND, CUSTOMER_KIND, INVOICE_KIND } from './kinds.js';

/*
 * Stores the outbound operations of the books, in the transaction of the command that changes a
 * record. An operation writes its record as it is when the worker runs it. So a later change of the
 * same record replaces an operation that still waits. The clock wakes the connections.
 */

/** The parts of an invoice that decide whether it belongs into the books. */
export interface BookableInvoice extends RecordRef {
  customer_id: string | null;
  status: string;
  released_at: string | null;
  paid_cents: number;
  /** True if the books must get the invoice again, because its content may have changed. */
  is_changed?: boolean;
}

/**
 * If an invoice that is already in the books returns to one of these statuses, the account corrects
 * it. The books stay as they are until the account issues the invoice again, or it is paid.
 */
export const CORRECTED: readonly string[] = ['draft', 'needs_review', 'approved'];

/** True if a payment has ended the correction of its invoice. */
export function endsCorrection(changes: readonly Change[]): boolean {
  return changes.some(({ field, from }) => field === 'invoice.status' && CORRECTED.includes(String(from)));
}

/** The statuses after which the books must no longer show the invoice as owed. */
const ANNULLED: readonly string[] = ['void', 'cancelled'];

interface BookState extends RecordRef {
  connection_id: string;
  /** True if the record is in the books, or an operation for it was stored before. */
  is_known: boolean;
  /** True if the record is in the books, perhaps under an earlier connection to them. */
  was_booked: boolean;
}

/** Returns SQL that is true if any connection has entered the record in books. */
export function wasBookedSql(record: string, kind: string): string {
  return `exists (select from connections c join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.id
    and x.kind = ${kind} and x.local_id = ${record}.id where c.tenant_id = ${record}.tenant_id and c.kind = 'accounting')`;
}

/** Finds out which records are in the books, or were to be. */
async function findBookStates(
  tx: Transaction,
  records: readonly (RecordRef & { connection_id: string })[],
  kind: string,
): Promise<Map<string, BookState>> {
  if (records.length === 0) return new Map();
  const rows = await tx.query<BookState>({
    name: 'find-book-states',
    text: `select r.tenant_id, r.id, r.connection_id,
             exists (select from external_ids x where x.tenant_id = r.tenant_id and x.connection_id = r.connection_id and x.kind = $2
               and x.local_id = r.id)
             or exists (select from outbound_operations o where o.tenant_id = r.tenant_id and ${hasConnectionSql('o', 'r.connection_id')}
               and o.kind = $2 and o.local_id = r.id) as is_known,
             ${wasBookedSql('r', '$2')} as was_booked
           from ${recordsetSql('tenant_id uuid, id uuid, connection_id uuid')}`,
    values: [JSON.stringify(records), kind],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

export const toOperation = (
  { tenant_id, id: local_id, connection_id }: RecordRef & { connection_id: string },
  kind: string,
): NewOperation => ({ tenant_id, connection_id, kind, local_id, verb: BOOK_VERB, is_creation: false });

/**
 * Books invoices that are released or paid, and annuls those that are void. An invoice that is in
 * the books already is written again only if it has changed. Invoices that were released before the
 * books were connected are left out.
 */
export async function bookInvoices(tx: Transaction, invoices: readonly BookableInvoice[]): Promise<void> {
  const isIssued = ({ released_at, paid_cents }: BookableInvoice) => released_at !== null || paid_cents > 0;
  const candidates = invoices.filter((one) => isIssued(one) || ANNULLED.includes(one.status));
  if (candidates.length === 0) return;
  const books = await findBooks(
    tx,
    candidates.map(({ tenant_id }) => tenant_id),
  );
  const booked = candidates.flatMap((one) => {
    const found = books.get(one.tenant_id);
    return found ? [{ ...one, connection_id: found.id, connectedAt: found.connectedAt }] : [];
  });
  const states = await findBookStates(tx, booked, INVOICE_KIND);
  const wanted = booked.filter(({ id, status, released_at, connectedAt, is_changed: isChanged = false }) => {
    const state = states.get(id);
    const isKnown = state?.is_known === true;
    if (ANNULLED.includes(status)) return isKnown || state?.was_booked === true;
    // The bookkeeper may have entered older invoices by hand, so they are booked only on request.
    const isOld = released_at !== null && Date.parse(released_at) < connectedAt.getTime();
    return isChanged || !(isKnown || isOld);
  });
  await insertBookings(tx, wanted);
}

/** Stores the operations of invoices, after those of customers that are not in the books yet. */
export async function insertBookings(
  tx: Transaction,
  invoices: readonly (RecordRef & { customer_id: string | null; connection_id: string })[],
): Promise<void> {
  if (invoices.length === 0) return;
  const customers = new Map(
    invoices.flatMap(({ tenant_id, customer_id: id, connection_id }) =>
      id === null ? [] : [[id, { tenant_id, id, connection_id }] as const],
    ),
  );
  const known = await findBookStates(tx, [...customers.values()], CUSTOMER_KIND);
  const added = [...customers.values()].filter(({ id }) => known.get(id)?.is_known !== true);
  await insertOperations(tx, [
    ...added.map((one) => toOperation(one, CUSTOMER_KIND)),
    ...invoices.map((one) => toOperation(one, INVOICE_KIND)),
  ]);
}

/**
 * Books payments that were recorded or whose refunded amount has changed. A payment that
 * the books have reported is not sent back: `actor` may be their connection.
 */
export async function bookPayments(
  tx: Transaction,
  payments: readonly (RecordRef & { actor?: Actor })[],
): Promise<void> {
  if (payments.length === 0) return;
  const books = await findBooks(
    tx,
    payments.map(({ tenant_id }) => tenant_id),
  );
  await insertOperations(
    tx,
    payments.flatMap(({ tenant_id, id, actor }) => {
      const connection_id = books.get(tenant_id)?.id;
      if (connection_id === undefined || actor?.id === connection_id) return [];
      return [toOperation({ tenant_id, id, connection_id }, BOOKED_PAYMENT_KIND)];
    }),
  );
}

/** Writes changed customers that are in the books. Others are written with their first invoice. */
export async function bookCustomers(
  tx: Transaction,
  customers: readonly (RecordRef & { actor: Actor })[],
): Promise<void> {
  if (customers.length === 0) return;
  const books = await findBooks(
    tx,
    customers.map(({ tenant_id }) => tenant_id),
  );
  const booked = customers.flatMap(({ tenant_id, id, actor }) => {
    const connection_id = books.get(tenant_id)?.id;
    return connection_id === undefined || actor.id === connection_id
      ? []
      : [{ tenant_id, id, connection_id }];
  });
  const known = await findBookStates(tx, booked, CUSTOMER_KIND);
  await insertOperations(
    tx,
    booked.filter(({ id }) => known.get(id)?.is_known).map((one) => toOperation(one, CUSTOMER_KIND)),
  );
}
