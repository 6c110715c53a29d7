import type { EventDraft } from '../../contracts/command.js';
import type { InvoiceStatus } from '../invoices/transitions.js';
import type { ClaimChangeSet } from './claim-row.js';
import { INVOICE_STEPS_ON_SUBMIT, type InvoiceStep } from './transitions.js';

/** Lets the worker send the claim to its billing partner. The invoice waits as `sending`. */
export function sendToPartner(course: ClaimChangeSet, steps: readonly InvoiceStep[]): void {
  course.moveInvoice(steps.filter(({ to }) => to !== 'sent_to_roadsync'));
  if (course.invoice.status === 'sending') course.setInvoice({ delivery_state: 'queued' });
  course.limitExpectedToOwed();
  course.queueOperation('submit');
}

/** Besides these, an invoice in a status of INVOICE_STEPS_ON_SUBMIT may be at the partner. */
const PAID: readonly InvoiceStatus[] = ['partially_paid', 'paid'];

/**
 * Marks an attempt as taken by the billing partner, and its invoice as sent there. An invoice that
 * was paid meanwhile keeps its status. If it was disputed or taken back for editing, nobody has
 * approved what the partner has, so the worker withdraws the claim.
 * @returns the events; undefined if the claim no longer waits for the partner, or is withdrawn
 */
export function markTaken(
  course: ClaimChangeSet,
  { attempt, amountCents, now }: { attempt: number; amountCents: number | undefined; now: string },
): EventDraft[] | undefined {
  if (!course.canMove('submitted', 'P')) return undefined;
  const steps = INVOICE_STEPS_ON_SUBMIT[course.invoice.status];
  if (!steps && !PAID.includes(course.invoice.status)) {
    course.queueOperation('withdraw');
    return undefined;
  }
  const isWaiting = course.invoice.delivery_state === 'queued';
  course.moveInvoice(steps ?? []);
  course.setInvoice({ delivery_state: 'sent', sent_at: now, released_as: 'sent_to_roadsync' });
  course.move('submitted', 'P', {
    submitted_at: now,
    attempt,
    status_reason: null,
    respond_by: null,
    ...(amountCents === undefined ? {} : { expected_cents: amountCents }),
  });
  return isWaiting ? [{ type: 'invoice.sent', entity: { type: 'invoice', id: course.invoice.id } }] : [];
}

/**
 * Fails the invoice of a claim that does not reach its billing partner. An invoice that was mailed
 * keeps its status.
 */
export function failSending(course: ClaimChangeSet, reason: string): void {
  const { status, delivery_state } = course.invoice;
  if (status !== 'sending' || delivery_state !== 'queued') return;
  course.moveInvoice([{ to: 'failed', by: 'P' }], reason);
  course.setInvoice({ delivery_state: 'failed' });
}

/** Fails the invoice of a withdrawn claim, so that it can be sent again. */
export function takeBackInvoice(course: ClaimChangeSet, reason: string): void {
  failSending(course, reason);
  if (course.invoice.status !== 'sent_to_roadsync') return;
  course.moveInvoice([{ to: 'failed', by: 'P' }], reason);
  course.setInvoice({ delivery_state: 'failed' });
}
