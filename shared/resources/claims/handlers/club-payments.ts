import type { Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { ClaimOutcome } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { refKey } from '../../../records/record-refs.js';
import { auditSideEffects } from '../../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../../invoices/handlers/lifecycle.js';
import type { InvoicePayment } from '../../payments/commands.js';
import { createPayments } from '../../payments/handlers/index.js';
import type { SuggestionDraft } from '../../suggestions/detectors/kinds.js';
import { type ClaimChangeSet, illegalClaimMove } from '../claim-row.js';
import { buildShortPaidSuggestion } from '../deny.js';

/** A club's payment of a claim, which the claim's status allows. */
export interface PlannedPayment {
  command: Command<InvoicePayment>;
  to: 'paid' | 'short_paid';
  paidCents: number;
  reason: string | null;
}

/** A club's response. Commands inside the service may choose the payment's id and time. */
export type ClubResponse = ClaimOutcome & { payment?: { id: string; received_at: string } };

/** A claim that a response has changed, and what follows from that. */
export interface RecordedClaim {
  command: Command;
  course: ClaimChangeSet;
  events: EventDraft[];
  suggestion?: SuggestionDraft | undefined;
  invoicePo?: string | undefined;
  /** The payment to record before the claim is stored. */
  payment?: PlannedPayment;
}

/** Checks whether the club may pay the claim. {@link recordPayments} then records the payment. */
export function planPayment(
  command: Command<ClubResponse>,
  course: ClaimChangeSet,
): RecordedClaim | CommandOutcome {
  const { amount_cents: amount, reference = null, reason = null, payment } = command.input;
  if (amount === undefined) {
    const message = 'amount_cents is required when the club has paid';
    return failedOutcome({
      code: 'validation_error',
      message: `${message}.`,
      details: [{ field: 'amount_cents', code: 'required', message }],
    });
  }
  const paidCents = course.row.paid_cents + amount;
  const to = paidCents >= course.row.expected_cents ? 'paid' : 'short_paid';
  if (!isMore(course, to) && !course.canMove(to, 'P')) return illegalClaimMove(course.row, to);
  const input: InvoicePayment = {
    invoice_id: course.row.invoice_id,
    amount_cents: amount,
    method: 'motor_club',
    reference,
    ...(payment ? { received_at: payment.received_at } : {}),
  };
  const paying = { ...command, entityId: payment?.id ?? newId(), input };
  return { command, course, events: [], payment: { command: paying, to, paidCents, reason } };
}

/** True if a club that has paid too little pays more, but not yet all. */
const isMore = ({ row }: ClaimChangeSet, to: string) => row.status === 'short_paid' && to === 'short_paid';

/**
 * Records the planned payments, and moves the claims. The claims have different invoices, because
 * an invoice has one open claim at a time.
 * @param outcomes gets the outcomes of the commands whose payment the invoice does not allow
 * @returns the claims to store
 */
export async function recordPayments(
  tx: Transaction,
  claims: readonly RecordedClaim[],
  outcomes: Map<string, CommandOutcome>,
): Promise<RecordedClaim[]> {
  const paying = claims.flatMap((one) => (one.payment ? [{ ...one, payment: one.payment }] : []));
  if (paying.length === 0) return [...claims];
  // The payments read and move the stored invoices. The commands may have moved these before.
  const moved = paying.filter(({ course }) => course.isInvoiceChanged);
  await storeLifecycle(
    tx,
    moved.map(({ course }) => course.invoice),
  );
  const payments = paying.map(({ payment }) => payment.command);
  const results = await createPayments(tx, payments);
  const refs = paying.map(({ course: { invoice } }) => ({ tenant_id: invoice.tenant_id, id: invoice.id }));
  const invoices = await lockInvoices(tx, refs);
  const finished = new Map<string, RecordedClaim>();
  const entries = paying.flatMap((one, index) => {
    const { command, course, payment, events } = one;
    const result = results[index] as CommandOutcome;
    if (!result.ok) {
      outcomes.set(command.id, result);
      return [];
    }
    course.invoice = invoices.get(refKey(course.invoice)) as InvoiceRow;
    const { to, paidCents, reason } = payment;
    const fields = { paid_cents: paidCents, status_reason: reason };
    if (isMore(course, to)) course.set(fields);
    else course.move(to, 'P', fields);
    const suggestion = to === 'short_paid' ? buildShortPaidSuggestion(course) : undefined;
    finished.set(command.id, { ...one, events: [...events, ...result.events], suggestion });
    const { entityId } = payment.command;
    const action = 'payment.created';
    return [{ command, entityType: 'payment', entityId, action, changes: result.changes }];
  });
  await auditSideEffects(tx, entries);
  return claims.flatMap((one) => finished.get(one.command.id) ?? (one.payment ? [] : [one]));
}
