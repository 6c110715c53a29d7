import pg from 'pg';

/** Runs `work` on its own connection, in the role of the connection string. */
export async function runAsOwner<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 3000,
    statement_timeout: 30_000,
  });
  // If the server goes away, the running query fails, and its caller gets the error. Without this
  // listener, the `error` event would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  return work(client).finally(() => client.end());
}
