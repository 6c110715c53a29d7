import type { Command, CommandHandler, Outcome } from '../../contracts/command.js';
import { validate } from '../../contracts/validate.js';
import type { Config } from '../../platform/config.js';
import { AppError, ERROR_STATUS, type ErrorBody } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { commandOfType } from '../index.js';
import { createInvoices } from '../invoices/create-handler.js';
import { moveInvoices } from '../invoices/move-handler.js';
import { updateInvoices } from '../invoices/update-handler.js';
import { failed } from '../sets.js';
import { FROM_CARD } from './held.js';
import type { ApprovalRow } from './store.js';

/** What approving may run. */
const HANDLERS: Readonly<Record<string, CommandHandler<never>>> = {
  'invoice.create': createInvoices,
  'invoice.update': updateInvoices,
  'invoice.approve': moveInvoices('approve'),
};

/** What became of the command behind an approval; when it failed, nothing has changed. */
export interface ApprovedRun {
  ran: Command;
  outcome: Outcome;
}

/**
 * Runs the command behind an approval through all its checks: an agent's held write as that agent, so that what it makes is still an agent's draft;
 * a proposed approval as the person who decides. The price may be none but the one that was shown.
 */
export async function runApproved(
  tx: Transaction,
  { decision, approval, config }: { decision: Command; approval: ApprovalRow; config: Config },
): Promise<ApprovedRun> {
  const handler = HANDLERS[approval.action];
  if (!handler) throw new Error(`no approval can run ${approval.action}`);
  const ran = commandBehind(decision, approval);
  try {
    if (approval.kind === 'agent_write') ran.input = validate(commandOfType(ran.type).schema, ran.input);
  } catch (error) {
    // The rules have become stricter since it was held.
    if (!(error instanceof AppError)) throw error;
    return { ran, outcome: refusedRun(error.toBody()) };
  }
  const [outcome] = await handler(tx, [ran as Command<never>], config);
  if (!outcome) throw new Error('a handler gave no outcome');
  return { ran, outcome: outcome.ok ? outcome : refusedRun(outcome.error) };
}

function commandBehind(decision: Command, approval: ApprovalRow): Command {
  const isHeld = approval.kind === 'agent_write';
  return {
    ...decision,
    id: newId(),
    type: approval.action,
    entityId: approval.entity_id,
    input: isHeld ? askedOf(approval.payload as Record<string, unknown>) : {},
    idempotency: null,
    // A proposal is decided on the version that it shows.
    ifMatch: isHeld || approval.record_version === null ? null : [approval.record_version],
    ...(isHeld
      ? {
          actor: { type: 'agent' as const, id: approval.agent_id, name: approval.agent_name },
          source: approval.source,
          tool: approval.tool,
          approved: { amountCents: approval.amount_cents },
        }
      : {}),
  };
}

/** A held write as it was asked for: lines that a card gave are reckoned again, by what is billed of the job now. */
function askedOf(payload: Record<string, unknown>): unknown {
  if (payload[FROM_CARD] !== true) return payload;
  const { [FROM_CARD]: _mark, line_items: _lines, ...asked } = payload;
  return asked;
}

/** The decision's own request is in order: what stands in the way is the state of things. */
function refusedRun(error: ErrorBody): Outcome {
  if (ERROR_STATUS[error.code] === ERROR_STATUS.conflict) return failed(error);
  return failed({
    ...error,
    code: 'conflict',
    message: `The held write can no longer be made: ${error.message}`,
  });
}
