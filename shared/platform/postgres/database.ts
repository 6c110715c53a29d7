import type pg from 'pg';
import { isConnectionError, markFailedConnect } from '../errors.js';
import { LIST_FROZEN_ACCOUNTS } from '../frozen/frozen-accounts.js';
import { GuardedConnections } from '../primary/guarded-connections.js';
import { KnownPrimary } from '../primary/known-primary.js';
import { CachedPlans } from './cached-plans.js';
import { openPool, type PoolOptions } from './pool.js';
import { createReadSetting, createTenantSetting, type LogPosition, readWithSetting } from './read.js';
import { type Row, type SqlQuery, sendQuery } from './send.js';
import { type CheckedOutClient, SharedReadConnections } from './shared-reads.js';
import { SlowQueries, type TenantRead } from './slow-queries.js';
import { type SlowReadQueue, SlowReads } from './slow-reads.js';
import { runTransaction, type Transaction, type TransactionRun } from './transaction.js';

export type { Row, SqlQuery, Transaction };

type Work<T> = (tx: Transaction) => Promise<T>;
type TransactionOptions = Pick<TransactionRun<unknown>, 'mayWriteFrozen'>;

/**
 * The application's access to PostgreSQL. With row-level security, a query sees only the rows of
 * the tenants that its transaction names. The methods that differ from this rule say so. The pool
 * is not exported, so no query can bypass row-level security.
 */
export interface Database {
  /**
   * Runs a read-only query that sees only this tenant's rows, in one round trip.
   * @param replayed for a replica: the position that it must have replayed, or the read fails
   */
  read<R = Row>(tenantId: string, query: SqlQuery, replayed?: LogPosition): Promise<R[]>;
  /**
   * Runs `work` in a transaction that sees only these tenants' rows. Rolls back if `work` throws,
   * and if an account is frozen.
   */
  transaction<T>(tenantIds: readonly string[], work: Work<T>, options?: TransactionOptions): Promise<T>;
  /** Like {@link transaction}, but always rolls back. */
  runAndRollBack<T>(tenantIds: readonly string[], work: Work<T>): Promise<T>;
  /** Looks up a credential before its tenant is known. The query sees only rows with this hash. */
  readByKeyHash<R = Row>(hash: Buffer, query: SqlQuery): Promise<R[]>;
  /**
   * Looks up people before their tenant is known. The query sees only users with this e-mail
   * address.
   * @param email must be in lower case
   */
  readByEmail<R = Row>(email: string, query: SqlQuery): Promise<R[]>;
  /**
   * Lists the ids of all tenants, for sweeps. Leaves out frozen accounts, unless `includesFrozen`.
   */
  listTenantIds(options?: { includesFrozen: boolean }): Promise<string[]>;
  /** Runs a query that sees no tenant's rows. */
  query<R = Row>(query: SqlQuery): Promise<R[]>;
  getPoolStats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** Reads of one tenant's rows. */
export type TenantReads = Pick<Database, 'read'>;

export interface OpenDatabaseOptions extends PoolOptions {
  /** The newest primary that the process knows; by default, the newest that this pool has seen. */
  primary?: KnownPrimary;
}

/** Opens a database. Connects on first use. */
export function openDatabase(options: OpenDatabaseOptions): Database {
  const pool = openPool(options);
  return new PooledDatabase(pool, options.poolSize, options.primary ?? new KnownPrimary());
}

class PooledDatabase implements Database {
  private readonly cachedPlans = new CachedPlans();
  private readonly slowQueries = new SlowQueries();
  private readonly readConnections = new SharedReadConnections(() => this.checkOut(), this.slowQueries);
  private readonly slowReads: SlowReads;
  private readonly connections: GuardedConnections;

  constructor(
    private readonly pgPool: pg.Pool,
    poolSize: number,
    primary: KnownPrimary,
  ) {
    this.connections = new GuardedConnections(primary);
    this.slowReads = new SlowReads(poolSize);
  }

  async read<R>(tenantId: string, query: SqlQuery, replayed?: LogPosition): Promise<R[]> {
    const setTenant = createTenantSetting(tenantId, { timeoutMs: query.timeoutMs, replayed });
    if (query.isKeyLookup) return this.readOnSharedConnection<R>(setTenant, query);
    const read = { tenantId, query: query.name ?? query.text };
    const queue = this.findSlowReadQueue(read, query);
    if (queue) return this.readOnOwnConnection<R>(queue, read, { setTenant, query });
    return this.readOnSharedConnection<R>(setTenant, query, read);
  }

  async readByKeyHash<R>(hash: Buffer, query: SqlQuery): Promise<R[]> {
    const values = [hash.toString('hex')];
    const setHash = createReadSetting('read-key-hash', "set_config('app.key_hash', $1, true)", values);
    return this.readOnSharedConnection<R>(setHash, query);
  }

  async readByEmail<R>(email: string, query: SqlQuery): Promise<R[]> {
    const setEmail = createReadSetting('read-email', "set_config('app.user_email', $1, true)", [email]);
    return this.readOnSharedConnection<R>(setEmail, query);
  }

  async query<R>(query: SqlQuery): Promise<R[]> {
    return this.withClient(async (client) => (await sendQuery(client, query)).rows as R[]);
  }

  async listTenantIds({ includesFrozen } = { includesFrozen: false }): Promise<string[]> {
    const setPurpose = createReadSetting(
      'read-directory',
      "set_config('app.purpose', 'directory', true)",
      [],
    );
    const list = { text: 'select tenant_id from tenants order by tenant_id' };
    const rows = await this.readOnSharedConnection<{ tenant_id: string }>(setPurpose, list);
    const ids = rows.map((row) => row.tenant_id);
    if (includesFrozen || ids.length === 0) return ids;
    const setTenants = createTenantSetting(ids.join(','), {});
    const found = await this.readOnSharedConnection<{ tenant_id: string }>(setTenants, LIST_FROZEN_ACCOUNTS);
    const frozen = new Set(found.map((row) => row.tenant_id));
    return frozen.size === 0 ? ids : ids.filter((id) => !frozen.has(id));
  }

  async transaction<T>(ids: readonly string[], work: Work<T>, options?: TransactionOptions): Promise<T> {
    return this.inTransaction(ids, work, { ...options, end: 'commit' });
  }

  async runAndRollBack<T>(tenantIds: readonly string[], work: Work<T>): Promise<T> {
    return this.inTransaction(tenantIds, work, { end: 'rollback' });
  }

  getPoolStats() {
    return { total: this.pgPool.totalCount, idle: this.pgPool.idleCount, waiting: this.pgPool.waitingCount };
  }

  async close(): Promise<void> {
    await this.pgPool.end();
  }

  private readOnSharedConnection<R>(setting: SqlQuery, query: SqlQuery, read?: TenantRead): Promise<R[]> {
    return this.readConnections.run(read, async (client) => {
      const { rows } = await readWithSetting(client, setting, query);
      return rows as R[];
    });
  }

  /**
   * Finds the queue for a read that needs its own connection. Returns undefined if the read can
   * share a connection.
   */
  private findSlowReadQueue(read: TenantRead, { timeoutMs }: SqlQuery): SlowReadQueue | undefined {
    if (timeoutMs !== undefined) return 'searches';
    this.readConnections.recordStalls();
    if (this.slowQueries.has(read)) return 'slowQueries';
    return this.readConnections.areStalledFor(read.tenantId) ? 'heldUp' : undefined;
  }

  /**
   * Runs a read on its own connection, within the tenant's fair share. No other read waits behind
   * this one.
   * @throws {AppError} 503 if too many of the tenant's reads are waiting, or this read waited too
   * long
   */
  private readOnOwnConnection<R>(
    queue: SlowReadQueue,
    read: TenantRead,
    { setTenant, query }: { setTenant: SqlQuery; query: SqlQuery },
  ): Promise<R[]> {
    return this.slowReads.run(queue, read.tenantId, () =>
      this.withClient(async (client) => {
        const readRows = () => readWithSetting(client, setTenant, query);
        // The measurement decides which queue a query uses. Searches always use their own queue, so
        // they need no measurement.
        const { rows } = await (queue === 'searches' ? readRows() : this.slowQueries.measure(read, readRows));
        return rows as R[];
      }),
    );
  }

  private inTransaction<T>(
    tenantIds: readonly string[],
    work: Work<T>,
    options: Pick<TransactionRun<T>, 'end' | 'mayWriteFrozen'>,
  ): Promise<T> {
    return this.withClient(async (client, discard) => {
      const assertPrimary = await this.connections.guard(client, (query) => sendQuery(client, query));
      return runTransaction(client, { ...options, tenantIds, work, discard, assertPrimary });
    });
  }

  /**
   * Runs `work` with a client from the pool. If the connection failed, the client is closed. After
   * any other error, the client returns to the pool.
   */
  private async withClient<T>(
    work: (client: pg.PoolClient, discard: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    const checkout = await this.checkOut();
    try {
      return await work(checkout.client, checkout.discard);
    } catch (error) {
      if (isConnectionError(error)) checkout.discard(error as Error);
      throw error;
    } finally {
      checkout.release();
    }
  }

  private async checkOut(): Promise<CheckedOutClient> {
    const client = await this.pgPool.connect().catch((error: unknown) => {
      throw markFailedConnect(error);
    });
    let broken: Error | undefined;
    const discard = (error: Error) => {
      broken = error;
    };
    client.on('error', discard);
    const discardOldPlans = () => this.cachedPlans.discardOld(client, discard);
    discardOldPlans();
    const release = () => {
      client.off('error', discard);
      client.release(broken);
    };
    return { client, discard, discardOldPlans, release };
  }
}
