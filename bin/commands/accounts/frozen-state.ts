import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import type { CommandArgs } from '../../cli/command.js';
import { CliError, EXIT, usageError } from '../../cli/exit-codes.js';
import { readAcrossTenants } from '../../cli/store.js';
import { findNamedTenant } from '../tenants.js';

/** A live account and its sandbox, which always move together. */
export interface AccountPair {
  name: string;
  /** The live account, then its sandbox. */
  ids: string[];
}

/** @throws {CliError} `usage` if `--tenant` names a sandbox */
export async function findNamedPair(db: Database, args: CommandArgs): Promise<AccountPair> {
  const tenant = await findNamedTenant(db, args);
  if (tenant.live_tenant_id !== null)
    throw usageError(
      `--tenant must be the live account ${tenant.live_tenant_id}; its sandbox moves with it.`,
    );
  const sandboxes = await readAcrossTenants<{ tenant_id: string }>(
    db,
    'select t.tenant_id from tenants t where t.tenant_id = any ($2::uuid[]) and t.live_tenant_id = $1',
    [tenant.id, await db.listTenantIds({ includesFrozen: true })],
  );
  return { name: tenant.name, ids: [tenant.id, ...sandboxes.map(({ tenant_id }) => tenant_id)] };
}

/** The commands of the operator may write frozen accounts. */
export const OF_OPERATOR = { mayWriteFrozen: true };

/**
 * The value of `dumped_at` for a copy that was restored here and never released. It is then the
 * account's second copy, and may be deleted.
 */
export const RESTORED = '-infinity';

export interface FrozenRow {
  tenant_id: string;
  /** Differs for each freeze of the tenant. */
  frozen_at: string;
  /** `dumped`: the other copy may be in use. `restored`: this copy was never in use. */
  state: 'frozen' | 'dumped' | 'restored';
}

export function readFrozen(tx: Pick<Transaction, 'query'>, ids: readonly string[]): Promise<FrozenRow[]> {
  return tx.query<FrozenRow>({
    text: `select tenant_id, extract(epoch from frozen_at)::text as frozen_at,
             case when dumped_at is null then 'frozen' when dumped_at = '${RESTORED}' then 'restored' else 'dumped' end as state
           from frozen_accounts where tenant_id = any ($1::uuid[]) order by tenant_id`,
    values: [ids],
  });
}

/** The sessions of exports only read, and may last for hours. */
const READING_SESSIONS = 'tow-snapshot';
const POLL_MS = 50;
/** Longer than a transaction of the product may idle (10 s) and its queries may take (5 s each). */
const MAX_WAIT_MS = 60_000;

/**
 * Waits until every transaction that began before now has ended. A transaction that begins later
 * finds the freeze. Runs as the owner, because only the owner sees the other sessions.
 * @throws {CliError} `still_writing` if a transaction does not end
 */
export async function waitForEarlierTransactions(db: Database): Promise<void> {
  const [now] = await readSessions<{ at: string }>(db, 'select clock_timestamp()::text as at', []);
  const deadline = Date.now() + MAX_WAIT_MS;
  for (;;) {
    const earlier = await readSessions<{ name: string }>(
      db,
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
         and xact_start <= $1 and application_name <> $2`,
      [now?.at, READING_SESSIONS],
    );
    if (earlier.length === 0) return;
    if (Date.now() > deadline) {
      throw new CliError(
        'still_writing',
        `The account is frozen, but an earlier transaction has not ended (${earlier.map(({ name }) => name).join(', ')}), and may still write it. Wait until it ends, for example a backup, or end it, for example an open psql. Then run the command again, or give up with \`tow accounts release\`.`,
        EXIT.failed,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Each query needs its own transaction, because PostgreSQL lists the sessions once for each. */
function readSessions<R>(db: Database, text: string, values: unknown[]): Promise<R[]> {
  return db.runAndRollBack([], async (tx) => {
    await tx.query({ text: 'set local role none' });
    return tx.query<R>({ text, values });
  });
}
