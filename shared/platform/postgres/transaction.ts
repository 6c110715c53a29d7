import type pg from 'pg';
import { TransactionEndedError } from '../errors.js';
import { AccountFrozenError, FIND_FROZEN_ACCOUNTS } from '../frozen/frozen-accounts.js';
import { NO_TENANT } from '../ids.js';
import { QueryGroup } from './query-group.js';
import { type Row, type SqlQuery, traceQuery } from './send.js';

/**
 * If a caller issues queries without awaiting each one, they are sent as one {@link QueryGroup} and
 * run in sequence. After a failed query, all later queries of the transaction fail too, within the
 * same group with the same error.
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

const BEGIN = { name: 'begin', text: 'begin' };
const SET_TENANTS = { name: 'set-tenants', text: "select set_config('app.tenant_ids', $1, true)" };

export interface TransactionRun<T> {
  /** The transaction sees only these tenants' rows. */
  tenantIds: readonly string[];
  work: (tx: Transaction) => Promise<T>;
  end: 'commit' | 'rollback';
  /** True to commit rows of frozen accounts too. Only commands of the operator may do so. */
  mayWriteFrozen?: boolean;
  /** Marks the connection as broken. */
  discard: (error: Error) => void;
  /** Throws if the connection's server is no longer the primary. */
  assertPrimary: () => void;
}

/** Collects the queries of an event-loop tick, and sends them together at the end of the tick. */
class GroupSender {
  private group: QueryGroup | undefined;

  constructor(private readonly client: pg.PoolClient) {}

  query(query: SqlQuery): Promise<pg.QueryResult> {
    return traceQuery(query, () => this.openGroup().add(query));
  }

  /** Runs a query that controls the transaction. It has no span, and its rows are ignored. */
  control(query: SqlQuery): Promise<pg.QueryResult> {
    return this.openGroup().add(query, { ignoresRows: true });
  }

  /** Like {@link control}, but returns the rows. */
  check(query: SqlQuery): Promise<pg.QueryResult> {
    return this.openGroup().add(query);
  }

  /** Sends the collected queries now. */
  flush(): void {
    const { group } = this;
    this.group = undefined;
    group?.sendOver(this.client);
  }

  private openGroup(): QueryGroup {
    if (this.group) return this.group;
    this.group = new QueryGroup();
    process.nextTick(() => this.flush());
    return this.group;
  }
}

/**
 * @throws the first error of `work`, of a query or of the commit, after the rollback
 * @throws {AccountFrozenError} instead of a commit, if one of the tenants is frozen
 */
export async function runTransaction<T>(
  client: pg.PoolClient,
  { tenantIds, work, end, mayWriteFrozen = false, discard, assertPrimary }: TransactionRun<T>,
): Promise<T> {
  const sender = new GroupSender(client);
  // Rows of no tenant do not move.
  const isChecked = end === 'commit' && !mayWriteFrozen && tenantIds.some((id) => id !== NO_TENANT);
  const opening = Promise.all([
    sender.control(BEGIN),
    sender.control({ ...SET_TENANTS, values: [tenantIds.join(',')] }),
    isChecked ? sender.check({ ...FIND_FROZEN_ACCOUNTS, values: [tenantIds] }) : undefined,
  ]);
  let openingError: Error | undefined;
  // `opening` is awaited below. Until then, its failure would count as an unhandled rejection.
  opening.catch((error: Error) => {
    openingError = error;
  });
  const queriesAtCommit: { query: SqlQuery; onRows: ((rows: never[]) => void) | undefined }[] = [];
  let hasEnded = false;
  const assertOpen = () => {
    if (hasEnded) throw new TransactionEndedError();
    // If `begin` failed, send no query, because PostgreSQL would commit it at once.
    if (openingError) throw openingError;
  };
  try {
    const result = await work({
      query: async (query) => {
        assertOpen();
        return (await sender.query(query)).rows;
      },
      queryAtCommit: (query, onRows) => {
        assertOpen();
        queriesAtCommit.push({ query, onRows });
      },
    });
    hasEnded = true;
    assertNoneFrozen((await opening)[2]?.rows);
    assertPrimary();
    const results = await Promise.all([
      ...queriesAtCommit.map(({ query }) => sender.query(query)),
      sender.control({ name: end, text: end }),
    ]);
    if (results.at(-1)?.command !== end.toUpperCase())
      throw new Error('the transaction was rolled back by the server');
    // Another server may have replaced this one during the commit, which is then lost. Report no
    // success: the retry finds out what the new primary has.
    if (end === 'commit') assertPrimary();
    queriesAtCommit.forEach(({ onRows }, index) => {
      onRows?.(results[index]?.rows as never[]);
    });
    return result;
  } catch (error) {
    hasEnded = true;
    // Send the collected queries before the rollback. `begin` may be one of them: sent after the
    // rollback, it would leave a transaction open.
    sender.flush();
    // If the rollback fails, the connection is unusable. In any case, throw the first error.
    await client.query('rollback').catch(discard);
    throw error;
  }
}

function assertNoneFrozen(rows: { tenant_id: string }[] = []): void {
  if (rows.length > 0) throw new AccountFrozenError(rows.map(({ tenant_id }) => tenant_id));
}
