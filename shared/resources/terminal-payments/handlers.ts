import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import {
  requestCancellations,
  storeTerminalResults,
  type TerminalResult,
} from '../open-terminal-payments/store.js';
import type { TerminalOutcome } from './commands.js';
import { createTerminalPayments } from './create-handler.js';

interface TerminalPaymentRow extends Row, RecordRef {
  status: string;
  connection_id: string | null;
  /** RFC 3339. `expires_at` has the same format. */
  cancel_requested_at: string | null;
  expires_at: string;
}

const isOpen = ({ status }: TerminalPaymentRow): boolean => status === 'waiting' || status === 'processing';

/**
 * Records requests to cancel payments on readers. The reader may have read a card in the meantime,
 * so only the vendor's response ends the payment.
 */
async function cancelTerminalPayments(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const rows = await lockRecords<TerminalPaymentRow>(tx, 'terminal_payments', commands.map(toRecordRef));
  const cancelled: TerminalPaymentRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('card reader payment');
    if (!isOpen(row)) return failEnded(row);
    cancelled.push(row);
    return {
      ok: true,
      changes: [{ field: 'cancel_requested', from: row.cancel_requested_at !== null, to: true }],
      events: [],
      prompts: row.connection_id === null ? [] : [{ queue: INTEGRATIONS_QUEUE, id: row.connection_id }],
    };
  });
  await requestCancellations(tx, cancelled);
  return outcomes;
}

function failEnded({ status }: TerminalPaymentRow): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `This payment cannot be cancelled any more: it is ${status}.`,
  });
}

/**
 * Stores the results of terminal payments that ended unpaid. A payment that has already ended stays
 * unchanged.
 */
async function recordTerminalPayments(
  tx: Transaction,
  commands: Command<TerminalOutcome>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<TerminalPaymentRow>(tx, 'terminal_payments', commands.map(toRecordRef));
  const results: TerminalResult[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('card reader payment');
    if (!isOpen(row)) return { ok: true, changes: [], events: [] };
    const status = decideStatus(row, command.input);
    results.push({
      ...toRecordRef(command),
      status,
      failure_reason: command.input.failure_reason,
      payment_id: null,
    });
    return { ok: true, changes: [{ field: 'status', from: row.status, to: status }], events: [] };
  });
  await storeTerminalResults(tx, results);
  return outcomes;
}

/**
 * Counts a failure as a cancellation if a person has cancelled the payment or its time has run out.
 */
function decideStatus(row: TerminalPaymentRow, { status }: TerminalOutcome): TerminalOutcome['status'] {
  const isUnwanted = row.cancel_requested_at !== null || Date.parse(row.expires_at) <= Date.now();
  return isUnwanted ? 'cancelled' : status;
}

export const terminalPaymentHandlers: CommandHandlers = {
  'terminal_payment.create': createTerminalPayments,
  'terminal_payment.cancel': cancelTerminalPayments,
  'terminal_payment.record': recordTerminalPayments,
};
