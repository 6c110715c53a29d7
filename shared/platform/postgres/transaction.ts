import type pg from 'pg';
import { TransactionEndedError } from '../errors.js';
import { corkUntilNextTick, type Row, type SqlQuery, sendQuery } from './send.js';

/**
 * Queries that a caller issues without awaiting each one are sent in one network flush and run in
 * sequence (`pipeline: true` of pg). After a failed query, all later queries fail too.
 */
export interface Transaction {
  /** @throws {TransactionEndedError} if the transaction has ended */
  query<R = Row>(query: SqlQuery): Promise<R[]>;
  /**
   * Sends a query together with the commit, in one flush, and passes its rows to `onRows` after the
   * commit. If the query fails, the transaction rolls back and throws the query's error.
   * @throws {TransactionEndedError} if the transaction has ended
   */
  queryAtCommit<R = Row>(query: SqlQuery, onRows?: (rows: R[]) => void): void;
}

const SET_TENANTS = { name: 'set-tenants', text: "select set_config('app.tenant_ids', $1, true)" };

interface TransactionRun<T> {
  /** The transaction sees only these tenants' rows. */
  tenantIds: readonly string[];
  work: (tx: Transaction) => Promise<T>;
  end: 'commit' | 'rollback';
  /** Marks the connection as broken. */
  discard: (error: Error) => void;
}

/** @throws the first error of `work`, of a query or of the commit, after the rollback */
export async function runTransaction<T>(
  client: pg.PoolClient,
  { tenantIds, work, end, discard }: TransactionRun<T>,
): Promise<T> {
  corkUntilNextTick(client);
  const opening = Promise.all([
    client.query('begin'),
    client.query({ ...SET_TENANTS, values: [tenantIds.join(',')] }),
  ]);
  // `opening` is awaited below. Until then, its failure would count as an unhandled rejection.
  opening.catch(() => undefined);
  const queriesAtCommit: { query: SqlQuery; onRows: ((rows: never[]) => void) | undefined }[] = [];
  let hasEnded = false;
  const assertOpen = () => {
    if (hasEnded) throw new TransactionEndedError();
  };
  try {
    const result = await work({
      query: async (query) => {
        assertOpen();
        return (await sendQuery(client, query)).rows;
      },
      queryAtCommit: (query, onRows) => {
        assertOpen();
        queriesAtCommit.push({ query, onRows });
      },
    });
    hasEnded = true;
    await opening;
    const closing = [...queriesAtCommit.map(({ query }) => sendQuery(client, query)), client.query(end)];
    const results = await Promise.all(closing);
    if (results.at(-1)?.command !== end.toUpperCase())
      throw new Error('the transaction was rolled back by the server');
    queriesAtCommit.forEach(({ onRows }, index) => {
      onRows?.(results[index]?.rows as never[]);
    });
    return result;
  } catch (error) {
    hasEnded = true;
    // If the rollback fails, the connection is unusable. In any case, throw the first error.
    await client.query('rollback').catch(discard);
    throw error;
  }
}
