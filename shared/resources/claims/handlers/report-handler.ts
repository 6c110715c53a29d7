import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { ClaimOutcome } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { mayMove } from '../../invoices/handlers/lifecycle.js';
import type { ClaimChangeSet } from '../claim-row.js';
import type { ClaimReport } from '../commands.js';
import { failSending, markTaken } from '../partner-moves.js';
import type { RecordedClaim } from './club-payments.js';
import { applyOutcome, type OutcomeContext, recordResponses } from './outcome-handler.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

/**
 * Records what billing partners report about claims. Reports may come late, twice or in any
 * sequence, so a report that no longer fits changes nothing.
 */
export function recordClaimReports(
  tx: Transaction,
  commands: Command<ClaimReport>[],
): Promise<CommandOutcome[]> {
  return recordResponses(tx, commands, {
    isDenial: ({ state }) => state === 'denied',
    apply: applyReport,
  });
}

function applyReport({
  command,
  course,
  facts,
  now,
}: OutcomeContext<ClaimReport>): RecordedClaim | CommandOutcome {
  const { state, reason = null } = command.input;
  if (state === 'withdrawn') return recordWithdrawal(command, course);
  if (state === 'not_sent') return recordFailure(command, course);
  const attempt = command.input.attempt ?? Math.max(1, course.row.attempt);
  if (attempt < course.row.attempt) return UNCHANGED;
  // A report about an attempt also shows that the partner has taken it. The command that records
  // this may run later.
  const isTaken = attempt === course.row.attempt;
  const amountCents = state === 'sent' ? command.input.amount_cents : undefined;
  const events = isTaken ? [] : markTaken(course, { attempt, amountCents, now });
  if (!events) return course.operations.length > 0 ? { command, course, events: [] } : UNCHANGED;
  const taken: RecordedClaim | CommandOutcome = isTaken ? UNCHANGED : { command, course, events };
  const outcome = toOutcome(command.input, course);
  if (!outcome) return taken;
  const context = { command: { ...command, input: { reason, ...outcome } }, course, facts, now };
  const result = applyOutcome(context);
  if ('course' in result) return { ...result, command, events: [...events, ...result.events] };
  return result.ok ? taken : result;
}

/** Returns the club's response in a report; undefined if it changes nothing at the claim. */
function toOutcome(
  { state, amount_cents: amount = 0, code = null, reference = null }: ClaimReport,
  course: ClaimChangeSet,
): ClaimOutcome | undefined {
  if (state === 'accepted' || state === 'denied')
    return course.canMove(state, 'P') ? { outcome: state, code } : undefined;
  if (state !== 'paid') return undefined;
  // The report names all that was paid so far, so a repetition adds nothing. More than was claimed
  // is not recorded, because it may be another unit of money. More than is owed is not recorded,
  // because the payment may be here already. A person decides both.
  const { paid_cents: paid, expected_cents: expected } = course.row;
  const added = amount - paid;
  const to = amount >= expected ? 'paid' : 'short_paid';
  if (added <= 0 || amount > expected || !canBePaid(course, to)) return undefined;
  if (added > course.invoice.total_cents - course.invoice.paid_cents) return undefined;
  return { outcome: 'paid', amount_cents: added, reference };
}

function canBePaid(course: ClaimChangeSet, to: 'paid' | 'short_paid'): boolean {
  if (!mayMove(course.invoice, 'paid', 'P')) return false;
  return course.canMove(to, 'P') || (to === 'short_paid' && course.row.status === 'short_paid');
}

function recordWithdrawal(
  command: Command<ClaimReport>,
  course: ClaimChangeSet,
): RecordedClaim | CommandOutcome {
  if (!course.canMove('withdrawn', 'S')) return UNCHANGED;
  course.move('withdrawn', 'S', { status_reason: command.input.reason ?? null });
  return { command, course, events: [] };
}

/** Records that the worker gave up sending an attempt. The claim waits for a person. */
function recordFailure(
  command: Command<ClaimReport>,
  course: ClaimChangeSet,
): RecordedClaim | CommandOutcome {
  if (!course.canMove('submitted', 'P')) return UNCHANGED;
  const reason = command.input.reason ?? 'The billing partner did not take the claim';
  course.set({ status_reason: reason });
  failSending(course, reason);
  return course.changes.length > 0 ? { command, course, events: [] } : UNCHANGED;
}
