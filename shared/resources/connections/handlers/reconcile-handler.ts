import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { BookReconciliationStart } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { listMonths } from '../../books/reconciliation/queries.js';
import { startReconciliation } from '../../books/reconciliation/rows.js';
import { findAccountingConnections, refuseMove } from '../connection-rows.js';
import { isActionAllowed } from '../transitions.js';
import { applyEffects } from './action-handlers.js';

const MAX_MONTHS = 24;

/** Makes the worker compare months with the books. Replaces the connection's last comparison. */
export async function reconcileConnections(
  tx: Transaction,
  commands: Command<BookReconciliationStart>[],
): Promise<CommandOutcome[]> {
  const books = await findAccountingConnections(tx, commands.map(toRecordRef));
  const outcomes = await applyEffects(tx, commands, (row, { input }) => {
    if (!isActionAllowed('sync', row.status)) return refuseMove(row, 'compared');
    return books.has(refKey(row)) ? (refuseMonths(input) ?? { endsPauses: true }) : refuseVendor(row);
  });
  for (const [index, { tenantId, entityId: connectionId, input }] of commands.entries())
    if (outcomes[index]?.ok) await startReconciliation(tx, { tenantId, connectionId }, input);
  return outcomes;
}

function refuseVendor({ vendor }: { vendor: string }): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `The connection to ${vendor} keeps no books. Only books are compared by months.`,
  });
}

function refuseMonths({ from, to }: BookReconciliationStart): CommandOutcome | undefined {
  const { length } = listMonths(from, to);
  if (length >= 1 && length <= MAX_MONTHS) return undefined;
  const message = `to must be in the ${MAX_MONTHS} months from the first one on`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'to', code: 'invalid', message }],
  });
}
