import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import { openStorage } from '../../../shared/storage/open-storage.js';
import type { Storage } from '../../../shared/storage/storage.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import { listMovedTables, quoteIds } from './account-tables.js';
import { findNamedPair, OF_OPERATOR, readFrozen } from './frozen-state.js';

/**
 * `tow accounts delete`: deletes the objects and rows of an account that moved away, or of a
 * restored copy that was never released. The freeze stays, so that nothing writes the account here
 * again.
 */
export const deleteMovedAccount: RunCommand = async (args, { store, config }) => {
  const { db } = await store();
  const { name, ids } = await findNamedPair(db, args);
  const frozen = await db.runAndRollBack(ids, (tx) => readFrozen(tx, ids));
  if (frozen.length !== ids.length || frozen.some(({ state }) => state === 'frozen')) {
    throw new CliError(
      'not_moved',
      `${name} was neither dumped for a move nor restored without a release, so this may be its only copy. Nothing was deleted.`,
      EXIT.failed,
    );
  }
  if (args.values.name !== name) {
    throw new CliError(
      'other_name',
      `Confirm with --name and the exact name of the account ("${name}") that its other copy is the one to keep. Nothing was deleted.`,
      EXIT.failed,
    );
  }
  // Objects come first: while its rows exist, the command finds the account and can be repeated.
  const objects = await deleteObjects(openStorage(config().exportStorage), ids);
  await deleteRows(db, ids);
  return {
    data: { tenant_ids: ids, deleted: true, objects },
    text: `Deleted the rows and ${objects} objects of ${name}.`,
  };
};

async function deleteObjects(storage: Storage, ids: string[]): Promise<number> {
  const keys: string[] = [];
  for (const id of ids) for await (const { key } of storage.list(id)) keys.push(key);
  for (const key of keys) await storage.delete(key);
  return keys.length;
}

/** Runs as the owner, because the application's role may not delete audit entries and events. */
async function deleteRows(db: Database, ids: string[]): Promise<void> {
  const deleteAll = async (tx: Transaction) => {
    await tx.query({ text: 'set local role none' });
    await tx.query({ text: "set local statement_timeout = '30min'" });
    const tables = await listMovedTables((query) => tx.query(query));
    for (const { name } of tables.reverse())
      await tx.query({ text: `delete from public.${name} where tenant_id in (${quoteIds(ids)})` });
  };
  await db.transaction(ids, deleteAll, OF_OPERATOR);
}
