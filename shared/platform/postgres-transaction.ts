import type pg from 'pg';
import { TransactionEndedError } from './errors.js';
import { gatherSends, type Row, type Statement, send } from './postgres-send.js';

/**
 * An open transaction. Statements issued without waiting for each other leave in one network flush
 * and run in order (`pipeline: true` of pg); after a failed one the rest of the transaction fails
 * too.
 */
export interface Transaction {
  /** @throws {TransactionEndedError} after the end */
  query<R = Row>(statement: Statement): Promise<R[]>;
  /**
   * Sends a statement together with the commit, in one flush, and hands its rows to `onRows` once
   * all has been committed. Should it fail, the commit rolls back and the transaction throws its
   * error.
   * @throws {TransactionEndedError} after the end
   */
  queryAtCommit<R = Row>(statement: Statement, onRows?: (rows: R[]) => void): void;
}

const SET_TENANTS = { name: 'set-tenants', text: "select set_config('app.tenant_ids', $1, true)" };

interface TransactionRun<T> {
  /** Whose rows the transaction sees. */
  tenantIds: readonly string[];
  work: (tx: Transaction) => Promise<T>;
  end: 'commit' | 'rollback';
  /** Throws the connection away. */
  discard: (error: Error) => void;
}

/**
 * Runs work in one transaction of this connection. @throws what the work throws, once all is rolled
 * back
 */
export async function runTransaction<T>(
  client: pg.PoolClient,
  { tenantIds, work, end, discard }: TransactionRun<T>,
): Promise<T> {
  gatherSends(client);
  const opening = Promise.all([
    client.query('begin'),
    client.query({ ...SET_TENANTS, values: [tenantIds.join(',')] }),
  ]);
  // Observed below; without this a failed opening would be an unhandled rejection while `work`
  // still runs.
  opening.catch(() => undefined);
  const last: { statement: Statement; onRows: ((rows: never[]) => void) | undefined }[] = [];
  let hasEnded = false;
  const assertOpen = () => {
    if (hasEnded) throw new TransactionEndedError();
  };
  try {
    const result = await work({
      query: async (statement) => {
        assertOpen();
        return (await send(client, statement)).rows;
      },
      queryAtCommit: (statement, onRows) => {
        assertOpen();
        last.push({ statement, onRows });
      },
    });
    hasEnded = true;
    await opening;
    const closing = [...last.map(({ statement }) => send(client, statement)), client.query(end)];
    const answers = await Promise.all(closing);
    if (answers.at(-1)?.command !== end.toUpperCase())
      throw new Error('the transaction was rolled back by the server');
    last.forEach(({ onRows }, index) => {
      onRows?.(answers[index]?.rows as never[]);
    });
    return result;
  } catch (error) {
    hasEnded = true;
    // A connection that cannot even roll back is of no use to the next caller; the first error is
    // the one to report.
    await client.query('rollback').catch(discard);
    throw error;
  }
}
