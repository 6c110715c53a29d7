import type { BookPaymentState } from '../../../shared/integrations/contract/accounting.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { BOOKED_PAYMENT_KIND } from '../../../shared/resources/books/kinds.js';
import { findOurPayments, readBookPayment } from '../../../shared/resources/books/queries.js';
import { wakeInvoiceOfPayment } from '../../../shared/resources/books/unbooked.js';
import { type PaymentReport, recordPayment } from '../../../shared/resources/payments/commands.js';
import { isDifferent } from '../../../shared/sync/difference-rows.js';
import { findUnwritten, readExternalId } from '../../../shared/sync/external-ids.js';
import type { Compared } from '../differences/difference-issues.js';
import type { AcceptedWrite, KnownChange, RecordKind } from '../records/record-kind.js';
import { toAttempt } from '../records/to-attempt.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { buildDifferences } from './differences.js';
import { getAccounting, waitFor } from './get-accounting.js';
import { joinPart, type PaymentPart, splitPayments } from './payment-parts.js';

const MADE_THERE =
  'This payment was made in the books, so it is never changed from here. Enter its refund there yourself.';

const REFUNDED_BEFORE = 'The payment was refunded before it was booked.';

/**
 * The record kind `booked_payment`. A write enters what was paid and not refunded. A read finds the
 * payments that were made in the books; each of their parts is one payment here.
 */
export const bookedPaymentRecords: RecordKind<PaymentPart> = {
  async write(step, operation) {
    const { tenant_id, connection_id, local_id: id, may_have_arrived: mayHaveArrived } = operation;
    const { earlierIds } = step.connection;
    const facts = await readBookPayment(step.db, { tenant_id, connection_id, id }, earlierIds);
    if (!facts) throw new Error('the payment of an operation does not exist');
    if (facts.status !== 'succeeded') return { cancelled: 'The payment has not arrived.', mayHaveArrived };
    if (facts.provider === step.vendor.manifest.vendor)
      throw new VendorError(MADE_THERE, { kind: 'refused', code: 'made_there' });
    const { invoice_external_id: invoiceExternalId, customer_external_id: ourCustomer } = facts;
    const { day, reference, amount_cents, refunded_cents, applied_cents: appliedCents } = facts;
    const amountCents = amount_cents - refunded_cents;
    // An invoice that was corrected may owe less there than was paid, until it is written again. A
    // payment that is removed does not wait: a void invoice waits for its removal.
    if (facts.is_invoice_pending && amountCents > 0) return waitFor('invoice');
    if (invoiceExternalId === null)
      return { cancelled: 'The invoice of the payment is not in the books.', mayHaveArrived };
    const ref = { tenant_id, connection_id, kind: BOOKED_PAYMENT_KIND, local_id: id };
    const stored = await readExternalId(step.db, ref);
    // If it was voided there and a person has not decided yet, or wants it so, it stays void.
    const isVoidedThere = stored !== undefined && (await isDifferent(step.db, ref, stored.externalId));
    const known = stored && {
      externalId: splitPart(stored.externalId),
      version: null,
      replacedVersion: isVoidedThere ? null : stored.version,
    };
    const { payments, invoices } = getAccounting(step);
    const connection = await step.open();
    const customerExternalId =
      ourCustomer ??
      (await invoices.readNamed(connection, [invoiceExternalId]))[0]?.fields.customerExternalId ??
      null;
    if (customerExternalId === null && amountCents > 0) return waitFor('customer');
    // If the bookkeeper voided the payment, an earlier attempt of ours explains nothing.
    const attempt = { ...toAttempt(operation), mayHaveArrived: mayHaveArrived && !isVoidedThere };
    const toOutcome = ({ written, state }: Awaited<ReturnType<typeof payments.put>>) =>
      buildOutcome(written, { state, invoiceExternalId });
    if (customerExternalId === null) {
      // Nobody knows the payer there, for example because the invoice was deleted.
      if (known) return toOutcome(await payments.annul(connection, known, attempt));
      return { cancelled: REFUNDED_BEFORE, mayHaveArrived: false };
    }
    if (amountCents > 0) {
      const payment = { paymentId: id, customerExternalId, invoiceExternalId, day, reference };
      return toOutcome(
        await payments.put(connection, { ...payment, amountCents, appliedCents }, attempt, known),
      );
    }
    // Look for a known payment too: it may have been entered again, without an answer.
    const names = { paymentId: id, customerExternalId, invoiceExternalId, day };
    const entered = await payments.find(connection, names);
    const found = entered?.state.status === 'open' ? entered.written : (known ?? entered?.written);
    if (!found) return { cancelled: REFUNDED_BEFORE, mayHaveArrived: false };
    return toOutcome(await payments.annul(connection, found, attempt));
  },
  storeAcceptance: wakeInvoiceOfPayment,
  compareWritten: (tx, step, { operation, accepted: { written, state } }) =>
    state
      ? compareParts(tx, step, [{ externalId: written.externalId, id: operation.local_id, part: state }])
      : Promise.resolve({ commands: [], left: [] }),
  buildSuccess: () => [],
  buildFailure: () => [],
  async pull(step, from) {
    const page = await getAccounting(step).payments.pull(await step.open(), from);
    return { ...page, changes: await splitPayments(step, page.changes) };
  },
  readNamed: async (step, hints) =>
    splitPayments(
      step,
      // Older items name a part.
      await getAccounting(step).payments.readNamed(await step.open(), [...new Set(hints.map(splitPart))]),
    ),
  toHint: splitPart,
  // A payment of ours whose answer was lost is linked, and one that was made there is new here. One
  // that was removed there is neither: another one may have replaced it.
  adopt: ({ fields: { invoiceId, ownId, amountCents } }) =>
    amountCents > 0 ? (ownId ?? (invoiceId === null ? undefined : newId())) : undefined,
  async findEarly(tx, connection, changes) {
    const unwritten = await findUnwritten(
      tx,
      connection,
      // A payment that was entered again without an answer names ours, which still has another id.
      changes.map(({ kind, externalId, fields: { ownId, namedId } }) => ({
        kind,
        externalId,
        localId: ownId === null ? namedId : null,
      })),
    );
    return changes.filter(({ externalId }) => unwritten.has(externalId));
  },
  buildChanges: (changes) => changes.flatMap(buildReport),
  compare: (tx, step, changes) =>
    compareParts(
      tx,
      step,
      changes.map(({ change, id }) => ({
        externalId: change.externalId,
        id: id.local_id,
        part: change.fields,
      })),
    ),
};

function splitPart(externalId: string): string {
  return externalId.split('/')[0] as string;
}

function buildOutcome(
  written: AcceptedWrite['written'],
  { state, invoiceExternalId }: { state: BookPaymentState; invoiceExternalId: string },
): AcceptedWrite<PaymentPart> {
  const change: Change<BookPaymentState> = {
    kind: BOOKED_PAYMENT_KIND,
    externalId: written.externalId,
    version: written.version ?? '',
    fields: state,
  };
  const ours = { invoiceId: null, ownId: null, namedId: null, isReused: false };
  const part = joinPart(change, { invoiceExternalId, ...ours });
  return {
    written: { ...written, externalId: part.externalId, version: part.version },
    state: part.fields,
  };
}

/** Builds the command that records a payment made in the books. */
function buildReport({ change: { externalId, fields }, id }: KnownChange<PaymentPart>): StepCommand[] {
  const { invoiceId, ownId, isReused, amountCents, paidAt, reference } = fields;
  if (isReused || ownId !== null || invoiceId === null || amountCents <= 0) return [];
  const input: PaymentReport = {
    invoice_id: invoiceId,
    pay_link_id: null,
    provider_payment_id: externalId,
    status: 'succeeded',
    amount_cents: amountCents,
    method: 'other',
    fee_cents: null,
    failure_reason: null,
    paid_at: paidAt,
    observed_at: new Date().toISOString(),
    reference,
    is_booked: true,
  };
  return [{ type: recordPayment.type, entityId: id.local_id, input }];
}

/**
 * Compares parts of payments with our payments. A payment that is recorded just now is not here
 * yet, so it is not compared.
 */
async function compareParts(
  tx: Transaction,
  step: Step,
  parts: readonly { externalId: string; id: string; part: PaymentPart }[],
): Promise<Compared> {
  const ids = parts.map(({ externalId }) => externalId);
  const ours = await findOurPayments(tx, step.connection, ids);
  const records = parts.flatMap(({ externalId, part }) => {
    const our = ours.get(externalId);
    if (!our && !(part.isReused && part.invoiceId)) return [];
    if (!our)
      return [
        {
          kind: BOOKED_PAYMENT_KIND,
          id: part.invoiceId as string,
          externalId,
          name: `The use of payment ${externalId} for another invoice`,
          ours: { amount_cents: 0 },
          theirs: { amount_cents: part.amountCents },
        },
      ];
    const appliedCents = our.provider === step.vendor.manifest.vendor ? our.amount_cents : our.applied_cents;
    return [
      {
        kind: BOOKED_PAYMENT_KIND,
        id: our.id,
        externalId,
        name: `Payment ${externalId}`,
        ours: { amount_cents: our.status === 'succeeded' ? appliedCents : 0 },
        theirs: { amount_cents: part.amountCents },
      },
    ];
  });
  return buildDifferences(tx, step, { kind: BOOKED_PAYMENT_KIND, records });
}
