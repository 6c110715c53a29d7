import type { Transaction } from '../../../shared/platform/postgres/database.js';
import type { RunCommand } from '../../cli/command.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import {
  type AccountPair,
  findNamedPair,
  OF_OPERATOR,
  readFrozen,
  waitForEarlierTransactions,
} from './frozen-state.js';

/**
 * `tow accounts freeze`: stops all writes of an account and of its sandbox. When the command ends,
 * no transaction that could write them is open. A second run does no harm.
 */
export const freezeAccount: RunCommand = async (args, { store }) => {
  const { db } = await store();
  const { name, ids } = await findNamedPair(db, args);
  const freeze = (tx: Transaction) =>
    tx.query({
      text: 'insert into frozen_accounts (tenant_id) select unnest($1::uuid[]) on conflict (tenant_id) do nothing',
      values: [ids],
    });
  await db.transaction(ids, freeze, OF_OPERATOR);
  await waitForEarlierTransactions(db);
  return {
    data: { tenant_ids: ids, frozen: true },
    text: `${name} is frozen: reads continue, writes get 503, and its work waits. Go on with \`tow accounts dump\`, or end the freeze with \`tow accounts release\`.`,
  };
};

/**
 * `tow accounts release`: ends the freeze, in the new deployment after the restore, or in the old
 * one to give up the move.
 */
export const releaseAccount: RunCommand = async (args, { store }) => {
  const { db } = await store();
  const pair = await findNamedPair(db, args);
  const discardsDump = args.values['discard-dump'] === true;
  await db.transaction(pair.ids, (tx) => release(tx, pair, discardsDump), OF_OPERATOR);
  return {
    data: { tenant_ids: pair.ids, frozen: false },
    text: `${pair.name} takes writes again; its waiting work continues within a minute.`,
  };
};

async function release(tx: Transaction, { name, ids }: AccountPair, discardsDump: boolean): Promise<void> {
  const frozen = await readFrozen(tx, ids);
  if (frozen.length === 0)
    throw new CliError('not_frozen', `${name} is not frozen; there is nothing to release.`, EXIT.failed);
  if (frozen.some(({ state }) => state === 'dumped') && !discardsDump) {
    throw new CliError(
      'dumped',
      `${name} was dumped here, so its other copy may be in use. If that copy was never released, give up the move with --discard-dump.`,
      EXIT.failed,
    );
  }
  // A restored export waits for a replica that has all rows of the restore.
  await tx.query({
    text: `update exports set wal_lsn = pg_current_wal_insert_lsn() where tenant_id = any ($1::uuid[]) and wal_lsn = '0/0'`,
    values: [ids],
  });
  await tx.query({ text: 'delete from frozen_accounts where tenant_id = any ($1::uuid[])', values: [ids] });
}
