import { findPastDue } from '../../../billing/past-due.js';
import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceReason, InvoiceSend } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import {
  type BilledPartner,
  findBilledPartners,
  findPartnerRefusal,
  planPartnerRelease,
} from '../../open-claims/release.js';
import type { TextConnections } from '../../planned-messages/choose-provider.js';
import { planMessages } from '../../planned-messages/plan.js';
import {
  computeReopenedStatus,
  INVOICE_ACTIONS,
  type InvoiceAction,
  type InvoiceStatus,
  type MoveTarget,
} from '../transitions.js';
import { findPersonApprovalRequired } from './agent-traces.js';
import {
  applyMove,
  checkMoveGuards,
  countLineItems,
  type InvoiceRow,
  lockInvoices,
  mayMove,
  refuseInvoiceMove,
} from './lifecycle.js';
import { applyDelivery, findRecipients, findTextConnectionsOf, type Recipients } from './send.js';
import { type PlannedMove, storeInvoiceMoves, toMoveOutcome } from './store-invoices.js';

type ActionInput = Partial<InvoiceReason & InvoiceSend>;
type ActionCommand = Command<ActionInput>;

interface Facts {
  rows: Map<string, InvoiceRow>;
  lineCounts: Map<string, number>;
  pastDue: Set<string>;
  personRequired: Set<string>;
  recipients: Recipients;
  textConnections: TextConnections;
  partners: Map<string, BilledPartner>;
  now: string;
  config: Config;
}

async function readFacts(tx: Transaction, commands: ActionCommand[], config: Config): Promise<Facts> {
  const refs = commands.map(toRecordRef);
  const texting = commands.filter(({ input }) => input.channel === 'sms' || input.channel === 'both');
  const [rows, lineCounts, pastDue, recipients, textConnections] = await Promise.all([
    lockInvoices(tx, refs),
    countLineItems(tx, refs),
    findPastDue(tx, refs),
    findRecipients(tx, refs),
    findTextConnectionsOf(tx, texting),
  ]);
  const personRequired = await findPersonApprovalRequired(tx, [...rows.values()].filter(mayBeApproved));
  const partners = await findBilledPartners(tx, [...rows.values()].filter(mayBeSent));
  return {
    rows,
    lineCounts,
    pastDue,
    personRequired,
    recipients,
    textConnections,
    partners,
    now: new Date().toISOString(),
    config,
  };
}

function mayBeApproved(row: InvoiceRow): boolean {
  return mayMove(row, 'approved', 'O');
}

function mayBeSent(row: InvoiceRow): boolean {
  return mayMove(row, 'sending', 'O');
}

function planMove(command: ActionCommand, to: MoveTarget, facts: Facts): PlannedMove | CommandOutcome {
  const key = refKey(toRecordRef(command));
  const row = facts.rows.get(key);
  if (!row) return notFoundOutcome('invoice');
  if (!mayMove(row, to, 'O')) return refuseInvoiceMove(row, to);
  const lineCount = facts.lineCounts.get(command.entityId) ?? 0;
  const isPersonRequired = facts.personRequired.has(key);
  const refusal = checkMoveGuards(row, to, { command, mover: 'O', lineCount, isPersonRequired });
  if (refusal) return refusal;
  const target: InvoiceStatus =
    to === 'reopened'
      ? computeReopenedStatus({
          isPastDue: row.released_at !== null && facts.pastDue.has(key),
          paidCents: row.paid_cents,
          isViewed: row.viewed_at !== null,
          releasedAs: row.released_as,
        })
      : to;
  const moved = applyMove(row, target, { now: facts.now, reason: command.input.reason });
  // Send the invoice only if the client asked for it (`to`). A reopened invoice may get the status
  // `sending` too (`target`), but it is not sent again.
  if (to !== 'sending') return { command, ...moved, sending: undefined };
  return planSending(command, moved, facts);
}

function planSending(
  command: ActionCommand,
  moved: { row: InvoiceRow; changes: PlannedMove['changes'] },
  facts: Facts,
): PlannedMove | CommandOutcome {
  const partner = facts.partners.get(refKey(toRecordRef(command)));
  if (partner) return planRelease(command, moved, { partner, facts });
  const { channel = 'email', to } = command.input;
  const recipients = facts.recipients.selectFor(command, { channel, to });
  if ('invalid' in recipients)
    return failedOutcome({
      code: 'validation_error',
      message: `${recipients.invalid.message}.`,
      details: [{ field: 'to', ...recipients.invalid }],
    });
  if ('missing' in recipients)
    return refuseInvoiceMove(
      facts.rows.get(refKey(toRecordRef(command))) as InvoiceRow,
      'sending',
      recipients.missing,
    );
  const sending = { command, messages: planMessages(command, recipients.found, facts) };
  return { command, ...applyDelivery(moved, sending, facts.now), sending };
}

/** Plans to send the invoice to the customer's billing partner, instead of to the customer. */
function planRelease(
  command: ActionCommand,
  { row, changes }: Pick<PlannedMove, 'row' | 'changes'>,
  { partner, facts }: { partner: BilledPartner; facts: Facts },
): PlannedMove | CommandOutcome {
  const reason = findPartnerRefusal(partner);
  if (reason !== undefined)
    return refuseInvoiceMove(facts.rows.get(refKey(toRecordRef(command))) as InvoiceRow, 'sending', reason);
  const moved: InvoiceRow = { ...row, delivery_state: 'queued' };
  return { command, row: moved, changes, sending: undefined, release: planPartnerRelease(moved, partner) };
}

/**
 * Adds the customer's secret link to the response of /send, the only response that shows it. The
 * response of a dry run omits the link, because the link would not work.
 */
function withViewUrl(outcome: CommandOutcome, { command, sending }: PlannedMove): CommandOutcome {
  const [first] = sending?.messages ?? [];
  return outcome.ok && first && !command.dryRun
    ? { ...outcome, responseExtra: { view_url: first.url } }
    : outcome;
}

/**
 * Returns the handler of an action. Usually, an action changes nothing if the invoice already has
 * one of its target statuses. The exception is `return`, whose targets are needs_review and draft:
 * it moves an invoice from needs_review to draft.
 */
export function createInvoiceActionHandler(action: InvoiceAction) {
  const targets: readonly MoveTarget[] = INVOICE_ACTIONS[action];
  return async (tx: Transaction, commands: ActionCommand[], config: Config): Promise<CommandOutcome[]> => {
    const facts = await readFacts(tx, commands, config);
    const plans = commands.map((command): PlannedMove | CommandOutcome => {
      const row = facts.rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome('invoice');
      if (targets.includes(row.status) && (action !== 'return' || row.status === 'draft')) return unchanged();
      if (action === 'resolve' && row.status !== 'disputed') return refuseInvoiceMove(row, 'reopened');
      const target = targets.find((candidate) => mayMove(row, candidate, 'O')) ?? (targets[0] as MoveTarget);
      return planMove(command, target, facts);
    });
    const planned = plans.filter((plan): plan is PlannedMove => 'command' in plan);
    await storeInvoiceMoves(tx, planned, config);
    return plans.map((plan) => ('command' in plan ? withViewUrl(toMoveOutcome(plan), plan) : plan));
  };
}

function unchanged(): CommandOutcome {
  return { ok: true, changes: [], events: [] };
}

/**
 * A status change that a PATCH requests. `row` already has the billing email from the same PATCH.
 */
export interface PatchedMove {
  command: Command;
  to: InvoiceStatus;
  row: InvoiceRow;
  /** Undefined if the request does not replace the line items. */
  lineCount: number | undefined;
}

/**
 * Returns the planned transitions or errors, by command id. The caller stores the planned
 * transitions with {@link storeInvoiceMoves}.
 */
export async function planPatchedMoves(
  tx: Transaction,
  moves: PatchedMove[],
  config: Config,
): Promise<Map<string, PlannedMove | CommandOutcome>> {
  if (moves.length === 0) return new Map();
  const facts = await readFacts(
    tx,
    // A PATCH to `sending` names no channel, so it sends a mail, the default.
    moves.map(({ command }) => ({ ...command, input: {} })),
    config,
  );
  for (const { command, row, lineCount } of moves) {
    facts.rows.set(refKey(toRecordRef(command)), row);
    if (lineCount !== undefined) facts.lineCounts.set(command.entityId, lineCount);
  }
  return new Map(
    moves.map(({ command, to }) => [command.id, planMove({ ...command, input: {} }, to, facts)]),
  );
}
