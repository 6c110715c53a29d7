import type {
  BookCustomer,
  BookInvoice,
  BookInvoiceState,
  KnownRecord,
} from '../../../shared/integrations/contract/accounting.js';
import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { INVOICE_KIND } from '../../../shared/resources/books/kinds.js';
import {
  type BookInvoiceFacts,
  findOurInvoices,
  readBookInvoice,
} from '../../../shared/resources/books/queries.js';
import { CORRECTED } from '../../../shared/resources/books/store.js';
import { bookPaymentsOfInvoice } from '../../../shared/resources/books/unbooked.js';
import { findUnwritten, readExternalId } from '../../../shared/sync/external-ids.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import type { Compared } from '../differences/difference-issues.js';
import type { RecordKind, WriteOutcome } from '../records/record-kind.js';
import { toAttempt } from '../records/to-attempt.js';
import type { Step } from '../vendor/step.js';
import { buildDifferences, type ComparedRecord } from './differences.js';
import { getAccounting, WAIT_MS, waitFor } from './get-accounting.js';

const ANNULLED: readonly string[] = ['void', 'cancelled'];

/** The customer in the books for invoices that name nobody. */
const WALK_IN = 'Walk-in customer';

/**
 * The record kind `invoice`. A write enters the invoice as it is now, or voids it. What was changed
 * in the books never changes our invoice: it becomes a sync issue.
 */
export const invoiceRecords: RecordKind<BookInvoiceState> = {
  async write(step, operation) {
    const { tenant_id, connection_id, local_id: id } = operation;
    const facts = await readBookInvoice(step.db, { tenant_id, connection_id, id });
    if (!facts) throw new Error('the invoice of an operation does not exist');
    const ref = { tenant_id, connection_id, kind: INVOICE_KIND, local_id: id };
    const known = await readExternalId(step.db, ref);
    if (ANNULLED.includes(facts.status)) return annul(step, operation, { facts, known });
    if (CORRECTED.includes(facts.status) && known)
      return { written: { externalId: known.externalId, version: known.version } };
    if (facts.customer_id !== null && facts.customer_external_id === null) return waitFor('customer');
    const connection = await step.open();
    const customer = facts.customer_external_id ?? (await findPayer(step, operation, { facts, connection }));
    const { invoices } = getAccounting(step);
    const attempt = toAttempt(operation);
    const mayBeThere = attempt.mayHaveArrived || facts.was_booked;
    const put = { ...attempt, mayHaveArrived: mayBeThere };
    return invoices.put(connection, toBookInvoice(id, facts, customer), put, known);
  },
  storeAcceptance: bookPaymentsOfInvoice,
  compareWritten: (tx, step, { operation, accepted: { written, state } }) =>
    state
      ? compareInvoices(tx, step, [{ externalId: written.externalId, id: operation.local_id, state }])
      : Promise.resolve({ commands: [], left: [] }),
  buildSuccess: () => [],
  buildFailure: () => [],
  pull: async (step, from) => getAccounting(step).invoices.pull(await step.open(), from),
  readNamed: async (step, hints) => getAccounting(step).invoices.readNamed(await step.open(), hints),
  // Invoices that are only in the books stay there.
  adopt: () => undefined,
  async findEarly(tx, connection, changes) {
    const unwritten = await findUnwritten(tx, connection, changes);
    return changes.filter(({ externalId }) => unwritten.has(externalId));
  },
  buildChanges: () => [],
  compare: (tx, step, changes) =>
    compareInvoices(
      tx,
      step,
      changes.map(({ change, id }) => ({
        externalId: change.externalId,
        id: id.local_id,
        state: change.fields,
      })),
    ),
};

/** Voids the invoice in the books, if it is there. */
async function annul(
  step: Step,
  operation: StartedOperation,
  { facts, known }: { facts: BookInvoiceFacts; known: KnownRecord | undefined },
): Promise<WriteOutcome<BookInvoiceState>> {
  const { invoices } = getAccounting(step);
  const connection = await step.open();
  const { local_id: invoiceId } = operation;
  const found =
    known ?? (await invoices.find(connection, { invoiceId, number: facts.invoice_number }))?.written;
  if (!found) return { cancelled: 'The invoice was voided before it was booked.', mayHaveArrived: false };
  // The books may void no invoice that has payments.
  if (facts.has_removals)
    return { postponedMs: WAIT_MS, reason: 'Waits until its payments are removed from the books.' };
  return invoices.annul(connection, found, toAttempt(operation));
}

/**
 * Finds or creates the payer of an invoice without a customer. It is named by the email. All
 * invoices that name nobody share one payer, as cash sales do in most books.
 */
async function findPayer(
  step: Step,
  operation: StartedOperation,
  { facts, connection }: { facts: BookInvoiceFacts; connection: OpenConnection },
): Promise<string> {
  const { billing_email: email } = facts;
  const nothing = { phone: null, address: null, city: null, state: null, zip: null };
  const payer: BookCustomer = { customerId: null, name: email ?? WALK_IN, email, ...nothing };
  const { customers } = getAccounting(step);
  const [match] = await customers.findMatches(connection, payer);
  const attempt = toAttempt(operation);
  const operationKey = `${attempt.operationKey}-c`;
  const found = match ?? (await customers.put(connection, payer, { ...attempt, operationKey }));
  return found.written.externalId;
}

function toBookInvoice(invoiceId: string, facts: BookInvoiceFacts, customerExternalId: string): BookInvoice {
  const { invoice_number, billing_email, day, due_day, po_number, lines, tax_cents, total_cents } = facts;
  return {
    invoiceId,
    number: invoice_number,
    customerExternalId,
    email: billing_email,
    day,
    dueDay: due_day,
    poNumber: po_number,
    taxCents: tax_cents,
    totalCents: total_cents,
    lines: lines.map(({ unit_price_cents, total_cents: totalCents, taxable, ...line }) => ({
      ...line,
      unitPriceCents: unit_price_cents,
      totalCents,
      isTaxable: taxable,
    })),
  };
}

/** The statuses in the books, by ours. */
const toStatus = (status: string) => (ANNULLED.includes(status) ? 'void' : 'open');

async function compareInvoices(
  tx: Transaction,
  step: Step,
  invoices: readonly { externalId: string; id: string; state: BookInvoiceState }[],
): Promise<Compared> {
  const ours = await findOurInvoices(
    tx,
    step.connection,
    invoices.map(({ externalId }) => externalId),
  );
  const records = invoices.flatMap(({ externalId, state }): ComparedRecord[] => {
    const our = ours.get(externalId);
    if (!our || CORRECTED.includes(our.status)) return [];
    const status = toStatus(our.status);
    // A void invoice is worth nothing in the books, and keeps its total here.
    const isAnnulled = status === 'void' && state.status !== 'open';
    return [
      {
        kind: INVOICE_KIND,
        id: our.id,
        externalId,
        name: `Invoice ${our.invoice_number}`,
        ours: isAnnulled ? { status } : { status, number: our.invoice_number, total_cents: our.total_cents },
        theirs: isAnnulled
          ? { status: 'void' }
          : { status: state.status, number: state.number, total_cents: state.totalCents },
      },
    ];
  });
  return buildDifferences(tx, step, { kind: INVOICE_KIND, records });
}
