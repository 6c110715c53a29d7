import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { ClaimWithdraw } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { refuseInvoiceMove } from '../../invoices/handlers/lifecycle.js';
import { lockClaimChangeSets, storeClaimChangeSets } from '../claim-change-sets.js';
import { ClaimChangeSet, illegalClaimMove } from '../claim-row.js';
import { failSending, sendToPartner, takeBackInvoice } from '../partner-moves.js';
import { INVOICE_STEPS_ON_SUBMIT, MAX_CLAIM_ATTEMPTS } from '../transitions.js';
import { refreshFromInvoices } from './refresh-claims.js';

type Input = Partial<ClaimWithdraw>;
/**
 * Moves the claim and returns undefined. Returns an outcome instead if nothing changes or if the
 * claim cannot move.
 */
type Move = (course: ClaimChangeSet, input: Input, now: string) => CommandOutcome | undefined;

function isPast(deadline: string | null, now: string): boolean {
  return deadline !== null && Date.parse(deadline) <= Date.parse(now);
}

/**
 * Sends a claim. If it has a billing partner, the worker sends it there, and only then is the claim
 * submitted.
 */
function sendClaim(course: ClaimChangeSet, now: string): CommandOutcome | undefined {
  const steps = INVOICE_STEPS_ON_SUBMIT[course.invoice.status];
  if (!steps)
    return refuseInvoiceMove(
      course.invoice,
      'sent_to_roadsync',
      `The invoice is ${course.invoice.status}: approve it first.`,
    );
  if (course.hasPartner) {
    sendToPartner(course, steps);
    return undefined;
  }
  course.moveInvoice(steps);
  course.limitExpectedToOwed();
  course.move('submitted', 'O', { submitted_at: now, attempt: course.row.attempt + 1, status_reason: null });
  return undefined;
}

function refuseDisconnected({ row, hasPartner, isConnected }: ClaimChangeSet): CommandOutcome | undefined {
  if (!hasPartner || isConnected) return undefined;
  return illegalClaimMove(
    row,
    'submitted',
    'The billing partner of this claim is disconnected. Withdraw the claim and bill another payer.',
  );
}

const MOVES: Record<'submit' | 'rebill' | 'withdraw' | 'expire', Move> = {
  submit: (course, _input, now) => {
    const { row } = course;
    if (row.status === 'submitted') return unchanged();
    if (row.status !== 'queued') return illegalClaimMove(row, 'submitted');
    if (isPast(row.submit_by, now)) return illegalClaimMove(row, 'submitted', 'submit_by has passed.');
    return refuseDisconnected(course) ?? sendClaim(course, now);
  },
  rebill: (course, _input, now) => {
    const { row } = course;
    // The worker may have given up sending the corrected claim. This sends it again.
    const isRepeated = row.status === 'rebilling' && course.hasPartner;
    if (!isRepeated && !course.canMove('rebilling', 'O')) return illegalClaimMove(row, 'rebilling');
    if (row.attempt >= MAX_CLAIM_ATTEMPTS)
      return illegalClaimMove(
        row,
        'rebilling',
        `The claim was already sent ${MAX_CLAIM_ATTEMPTS} times. Withdraw it and bill another payer.`,
      );
    if (isPast(row.respond_by, now)) return illegalClaimMove(row, 'rebilling', 'respond_by has passed.');
    const refusal = refuseDisconnected(course);
    if (refusal) return refusal;
    if (!INVOICE_STEPS_ON_SUBMIT[course.invoice.status]) return sendClaim(course, now);
    if (!isRepeated) course.move('rebilling', 'O');
    return sendClaim(course, now);
  },
  withdraw: (course, { reason }) => {
    if (course.row.status === 'withdrawn') return unchanged();
    if (!course.canMove('withdrawn', 'O')) return illegalClaimMove(course.row, 'withdrawn');
    course.move('withdrawn', 'O', { status_reason: reason ?? null });
    if (course.hasPartner) takeBackInvoice(course, reason ?? 'The claim was withdrawn');
    course.queueOperation('withdraw');
    return undefined;
  },
  expire: (course, _input, now) => {
    const { row } = course;
    const deadline = row.status === 'queued' ? row.submit_by : row.respond_by;
    if (!course.canMove('expired', 'S') || !isPast(deadline, now)) return unchanged();
    const name = row.status === 'queued' ? 'submit_by' : 'respond_by';
    course.move('expired', 'S', { status_reason: `${name} has passed` });
    if (course.hasPartner) failSending(course, `${name} of the claim has passed`);
    course.queueOperation('withdraw');
    return undefined;
  },
};

function unchanged(): CommandOutcome {
  return { ok: true, changes: [], events: [] };
}

/**
 * Returns the handler for an action on claims. `submit` changes nothing if the claim is already
 * submitted. `withdraw` changes nothing if the claim is already withdrawn. `expire` changes nothing
 * before the deadline has passed.
 */
export function moveClaims(action: keyof typeof MOVES) {
  return async (tx: Transaction, commands: Command<Input>[], config: Config): Promise<CommandOutcome[]> => {
    const { findCourse } = await lockClaimChangeSets(tx, commands);
    const found = commands.map(findCourse);
    if (action === 'submit' || action === 'rebill')
      await refreshFromInvoices(
        tx,
        found.filter((course) => course instanceof ClaimChangeSet),
        config,
      );
    const now = new Date().toISOString();
    const moved: { command: Command; course: ClaimChangeSet }[] = [];
    const outcomes = commands.map((command, index): CommandOutcome => {
      const course = found[index] as ClaimChangeSet | CommandOutcome;
      if ('ok' in course) return course;
      const outcome = MOVES[action](course, command.input, now);
      if (outcome) return outcome;
      moved.push({ command, course });
      return { ok: true, changes: course.changes, events: [], prompts: course.prompts };
    });
    await storeClaimChangeSets(tx, moved);
    return outcomes;
  };
}
