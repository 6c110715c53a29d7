import { findPastDue } from '../../../billing/past-due.js';
import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceReason, InvoiceSend } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { findTextConnections, type TextConnections } from '../../planned-messages/choose-provider.js';
import { type PlannedSending, planMessages, promptProviders } from '../../planned-messages/plan.js';
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
  storeLifecycle,
} from './lifecycle.js';
import {
  applyDelivery,
  findRecipients,
  isSentAtOnce,
  type Recipients,
  storeInvoiceMessages,
} from './send.js';

type ActionInput = Partial<InvoiceReason & InvoiceSend>;
type ActionCommand = Command<ActionInput>;

interface Facts {
  rows: Map<string, InvoiceRow>;
  lineCounts: Map<string, number>;
  pastDue: Set<string>;
  personRequired: Set<string>;
  recipients: Recipients;
  textConnections: TextConnections;
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
  return {
    rows,
    lineCounts,
    pastDue,
    personRequired,
    recipients,
    textConnections,
    now: new Date().toISOString(),
    config,
  };
}

/**
 * Finds the connections through which the accounts send texts. Nearly no command sends a text, so
 * usually no query runs.
 */
async function findTextConnectionsOf(tx: Transaction, commands: Command[]): Promise<TextConnections> {
  if (commands.length === 0) return new Map();
  return findTextConnections(
    tx,
    commands.map(({ tenantId }) => tenantId),
  );
}

function mayBeApproved(row: InvoiceRow): boolean {
  return mayMove(row, 'approved', 'O');
}

/** A transition that has passed all checks and is not stored yet. */
export interface PlannedMove {
  command: Command;
  row: InvoiceRow;
  changes: ReturnType<typeof applyMove>['changes'];
  sending: PlannedSending | undefined;
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

export async function storeInvoiceMoves(tx: Transaction, planned: PlannedMove[]): Promise<void> {
  await Promise.all([
    storeLifecycle(
      tx,
      planned.map(({ row }) => row),
      new Set(planned.flatMap(({ row, sending }) => (sending ? [row.id] : []))),
    ),
    storeInvoiceMessages(
      tx,
      planned.flatMap(({ sending }) => (sending ? [sending] : [])),
    ),
  ]);
}

export function toMoveOutcome({ changes, sending }: PlannedMove): CommandOutcome {
  if (!sending) return { ok: true, changes, events: [] };
  return {
    ok: true,
    changes,
    // If a provider must still accept the message, do not record `invoice.sent` now. The command
    // that records the acceptance also records `invoice.sent` (docs/decisions.md §1, row 4).
    events: isSentAtOnce(sending) ? [{ type: 'invoice.sent' }] : [],
    prompts: promptProviders(sending.messages),
  };
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
    await storeInvoiceMoves(tx, planned);
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
