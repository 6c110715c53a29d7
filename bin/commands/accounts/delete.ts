import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { listMovedTables, quoteIds } from './account-tables.js';
import { findNamedPair, readFrozen } from './frozen-state.js';

/**
 * `tow accounts delete`: deletes the rows of an account that moved away. The freeze stays, so that
 * nothing writes the account here again. The exports worker later deletes its objects.
 */
export const deleteMovedAccount: RunCommand = async (args, { store }) => {
  const { db } = await store();
  const { name, ids } = await findNamedPair(db, args);
  const frozen = await db.runAndRollBack(ids, (tx) => readFrozen(tx, ids));
  if (frozen.length !== ids.length || frozen.some(({ dumped_at }) => !dumped_at)) {
    throw new CliError(
      'not_moved',
      `${name} was not dumped for a move, so this may be its only copy. Nothing was deleted.`,
      EXIT.failed,
    );
  }
  if (args.values.name !== name) {
    throw new CliError(
      'other_name',
      `Confirm with --name and the exact name of the account ("${name}") that its other copy is in use. Nothing was deleted.`,
      EXIT.failed,
    );
  }
  await deleteRows(db, ids);
  return {
    data: { tenant_ids: ids, deleted: true },
    text: `Deleted the rows of ${name}. Its objects follow within days.`,
  };
};

/** Runs as the owner, because the application's role may not delete audit entries and events. */
async function deleteRows(db: Database, ids: string[]): Promise<void> {
  const deleteAll = async (tx: Transaction) => {
    await tx.query({ text: 'set local role none' });
    await tx.query({ text: "set local statement_timeout = '30min'" });
    const tables = await listMovedTables((query) => tx.query(query));
    for (const { name } of tables.reverse())
      await tx.query({ text: `delete from public.${name} where tenant_id in (${quoteIds(ids)})` });
  };
  await db.transaction(ids, deleteAll, { mayWriteFrozen: true });
}
