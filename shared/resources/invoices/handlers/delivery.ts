import type { Change } from '../../../contracts/command.js';
import { isInFlight, type PlannedSending } from '../../planned-messages/plan.js';
import { applyMove, type InvoiceRow } from './lifecycle.js';

interface MovedInvoice {
  row: InvoiceRow;
  changes: Change[];
}

/**
 * Returns an invoice with the state of its delivery. The provider `outbox` only stores messages. If
 * it is the only provider, a stored message counts as sent (docs/decisions.md §3), unless a sandbox
 * pretends that it fails.
 */
export function applyDelivery(
  { row, changes }: MovedInvoice,
  sending: PlannedSending,
  now: string,
): MovedInvoice {
  if (isInFlight(sending)) return { row: { ...row, delivery_state: 'queued' }, changes };
  const reason = findFailure(sending);
  if (reason === null) return { row: { ...row, delivery_state: 'sent', sent_at: now }, changes };
  const failed = applyMove({ ...row, delivery_state: 'failed' }, 'failed', { now, reason });
  // The invoice has one change of its status: from before the sending to its failure.
  const start = changes.find(({ field }) => field === 'status');
  const merged = failed.changes.map((change) =>
    change.field === 'status' && start ? { ...change, from: start.from } : change,
  );
  return { row: failed.row, changes: [...changes.filter((change) => change !== start), ...merged] };
}

/** True if the invoice counts as sent without a provider that must still accept a message. */
export function isSentAtOnce(sending: PlannedSending): boolean {
  return !isInFlight(sending) && findFailure(sending) === null;
}

/** Returns why the delivery failed: a reason if every message has failed, else null. */
function findFailure({ messages }: PlannedSending): string | null {
  const failures = messages.map(({ failure }) => failure);
  return failures.every((failure) => failure !== null) ? (failures[0] ?? null) : null;
}
