import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { toRecordRef } from '../../../records/record-refs.js';
import { deleteLines } from '../../remittance-lines/line-rows.js';
import { lockRemittance, type RemittanceRow } from './remittance-rows.js';

/**
 * Deletes remittances that have recorded no payment, with their lines. The same list can then be
 * imported again.
 */
export async function deleteRemittances(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await deleteOne(tx, command));
  return outcomes;
}

async function deleteOne(tx: Transaction, command: Command): Promise<CommandOutcome> {
  const remittance = await lockRemittance(tx, toRecordRef(command));
  if (!remittance) return notFoundOutcome('remittance');
  if (remittance.applied_count > 0) return refuseApplied(remittance);
  const { tenant_id, id } = remittance;
  await deleteLines(tx, remittance);
  await tx.query({
    name: 'delete-remittance',
    text: `update remittances t set deleted_at = now(), updated_at = ${nextUpdatedAtSql('t')} where t.tenant_id = $1 and t.id = $2`,
    values: [tenant_id, id],
  });
  return { ok: true, changes: [{ field: 'deleted_at', from: null, to: 'now' }], events: [] };
}

function refuseApplied({ reference, applied_count: count }: RemittanceRow): CommandOutcome {
  const lines = count === 1 ? 'One line' : `${count} lines`;
  return failedOutcome({
    code: 'conflict',
    message: `${lines} of the remittance ${reference} recorded payments already. Ignore its open lines, and refund the payments that are wrong.`,
  });
}
