import pg from 'pg';
import { appSessionOptions } from './postgres-session.js';

const PAUSE_MS = 100;

/**
 * Whether a replica has replayed the primary's log up to this place, or does so in time. A server that is no replica has everything.
 * @param lsn of `pg_current_wal_lsn()` on the primary
 * @throws {Error} when it cannot be asked
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
    options: appSessionOptions(databaseUrl, { keyed: false }),
  });
  // A connection that is cut fails the question under way.
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (;;) {
      const text = 'select coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, true) as is_current';
      const [row] = (await client.query<{ is_current: boolean }>(text, [lsn])).rows;
      if (row?.is_current) return true;
      if (Date.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    await client.end();
  }
}
