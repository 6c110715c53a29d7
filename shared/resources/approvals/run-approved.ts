import type Joi from 'joi';
import type { Config } from '../../config/config.js';
import type { Command, CommandHandler, CommandOutcome } from '../../contracts/command.js';
import { validate } from '../../contracts/schemas/validate.js';
import { AppError, ERROR_STATUS, type ErrorBody } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { approveInvoice, createInvoice, updateInvoice } from '../invoices/commands.js';
import { createInvoices } from '../invoices/handlers/create-handler.js';
import { createInvoiceActionHandler } from '../invoices/handlers/move-handler.js';
import { updateInvoices } from '../invoices/handlers/update-handler.js';
import { type ApprovalRow, PRICED_FROM_CARD_MEMBER } from '../pending-approvals/store.js';

const RUNNABLE = new Map<string, { schema: Joi.Schema; handler: CommandHandler<never> }>([
  [createInvoice.type, { schema: createInvoice.schema, handler: createInvoices }],
  [updateInvoice.type, { schema: updateInvoice.schema, handler: updateInvoices }],
  [approveInvoice.type, { schema: approveInvoice.schema, handler: createInvoiceActionHandler('approve') }],
]);

/**
 * The command that an approval ran, with its outcome. If the command failed, nothing has changed.
 */
export interface ApprovedRun {
  ran: Command;
  outcome: CommandOutcome;
}

/**
 * Runs the command that a person approved. A held write runs as the agent that sent it, so its
 * result is still an agent's draft. A proposed approval runs as the person who decides. The run
 * fails if the price is no longer the price that the person saw.
 */
export async function runApprovedCommand(
  tx: Transaction,
  { decision, approval, config }: { decision: Command; approval: ApprovalRow; config: Config },
): Promise<ApprovedRun> {
  const runnable = RUNNABLE.get(approval.action);
  if (!runnable) throw new Error(`no approval can run ${approval.action}`);
  const ran = buildApprovedCommand(decision, approval);
  try {
    if (approval.kind === 'agent_write') ran.input = validate(runnable.schema, ran.input);
  } catch (error) {
    // The input was valid when the write was held, so the validation has become stricter since
    // then.
    if (!(error instanceof AppError)) throw error;
    return { ran, outcome: refusedRun(error.toBody()) };
  }
  const [outcome] = await runnable.handler(tx, [ran as Command<never>], config);
  if (!outcome) throw new Error('a handler returned no outcome');
  return { ran, outcome: outcome.ok ? outcome : refusedRun(outcome.error) };
}

function buildApprovedCommand(decision: Command, approval: ApprovalRow): Command {
  const isHeld = approval.kind === 'agent_write';
  return {
    ...decision,
    id: newId(),
    type: approval.action,
    entityId: approval.entity_id,
    input: isHeld ? requestedInput(approval.payload as Record<string, unknown>) : {},
    idempotency: null,
    // A proposed approval was made for one version of the invoice, so it must fail if the invoice
    // has changed since.
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

/**
 * Returns the input that the agent sent. Line items from a rate card are removed, because the run
 * calculates their prices again.
 */
function requestedInput(payload: Record<string, unknown>): unknown {
  if (payload[PRICED_FROM_CARD_MEMBER] !== true) return payload;
  const { [PRICED_FROM_CARD_MEMBER]: _mark, line_items: _lines, ...requested } = payload;
  return requested;
}

/**
 * Turns a failed run into a 409. Any other status would blame the person's request, which is valid.
 */
function refusedRun(error: ErrorBody): CommandOutcome {
  if (ERROR_STATUS[error.code] === ERROR_STATUS.conflict) return failedOutcome(error);
  return failedOutcome({
    ...error,
    code: 'conflict',
    message: `The held write can no longer be made: ${error.message}`,
  });
}
