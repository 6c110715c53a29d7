import pg from 'pg';
import { buildAppSessionOptions } from '../postgres/session.js';

const POLL_INTERVAL_MS = 100;

/**
 * Resolves with true when the replica has replayed the primary's log up to `lsn`, or with false
 * after `timeoutMs`. A server that is not a replica counts as current.
 * @param lsn result of `pg_current_wal_lsn()` on the primary
 * @throws {Error} if the server cannot be queried
 */
export async function isReplicaCurrent(
  databaseUrl: string,
  { lsn, timeoutMs }: { lsn: string; timeoutMs: number },
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tow-replica',
    connectionTimeoutMillis: 3000,
    query_timeout: timeoutMs + 3000,
    options: buildAppSessionOptions(databaseUrl, { keyed: false }),
  });
  // A lost connection also rejects the pending query, so this event needs no handling.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (;;) {
      const text = 'select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, true) as is_current';
      const [row] = (await client.query<{ is_current: boolean }>(text, [lsn])).rows;
      if (row?.is_current) return true;
      if (Date.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  } finally {
    await client.end();
  }
}
