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

/** If the command failed, nothing has changed. */
export interface ApprovedRun {
  ran: Command;
  outcome: CommandOutcome;
}

/**
 * An agent's held write runs as that agent, so its result is still an agent's draft. A proposed
 * approval runs as the person who decides. The price must equal the price that the person saw.
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
    // The error means that the validation has become stricter since the write was held.
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
    // A proposal applies only to the version that it shows.
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

/** Removes line items from a rate card, because approving prices them again. */
function requestedInput(payload: Record<string, unknown>): unknown {
  if (payload[PRICED_FROM_CARD_MEMBER] !== true) return payload;
  const { [PRICED_FROM_CARD_MEMBER]: _mark, line_items: _lines, ...requested } = payload;
  return requested;
}

/** The decision request itself is valid, so a failure of the held write becomes a 409. */
function refusedRun(error: ErrorBody): CommandOutcome {
  if (ERROR_STATUS[error.code] === ERROR_STATUS.conflict) return failedOutcome(error);
  return failedOutcome({
    ...error,
    code: 'conflict',
    message: `The held write can no longer be made: ${error.message}`,
  });
}
