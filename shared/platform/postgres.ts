import pg from 'pg';
import { isConnectionError, markFailedConnect } from './errors.js';
import type { Logger } from './logger.js';
import { type Lease, ReadLanes } from './postgres-lanes.js';
import { readWithSetting, type Setting } from './postgres-read.js';
import { gatherSends, type Row, type Statement, send } from './postgres-send.js';
import { appSessionOptions } from './postgres-session.js';
import { SlowQueries, type TenantRead } from './postgres-slow-queries.js';
import { type SlowReadQueue, SlowReads } from './postgres-slow-reads.js';
import { runTransaction, type Transaction } from './postgres-transaction.js';

export type { Row, Statement, Transaction };

// bigint (20) holds cents and counters, all far below 2^53; numeric (1700) is quantities. Both are JSON numbers in the API.
pg.types.setTypeParser(20, Number);
pg.types.setTypeParser(1700, Number);

/**
 * The application's door to PostgreSQL. Every statement runs inside a transaction that names its tenants; row-level security does the rest. The
 * pool itself is not exported, so no query can forget to.
 */
export interface Database {
  /** One read for one tenant: its setting and the statement in one transaction and one round of messages. */
  read<R = Row>(tenantId: string, statement: Statement): Promise<R[]>;
  /** Runs `work` in a transaction that sees these tenants' rows, and commits. Rolls back when it throws. */
  transaction<T>(tenantIds: readonly string[], work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** As {@link transaction}, but always rolls back: a rehearsal. */
  rehearse<T>(tenantIds: readonly string[], work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Looks up a credential before its tenant is known: only rows with this very hash are visible. */
  readByKeyHash<R = Row>(hash: Buffer, statement: Statement): Promise<R[]>;
  /** Looks up people before their tenant is known: only users with this very e-mail are visible. @param email in lower case */
  readByEmail<R = Row>(email: string, statement: Statement): Promise<R[]>;
  /** Ids of all tenants, and nothing else of them: what sweeps walk over. */
  tenantIds(): Promise<string[]>;
  /** A statement outside any tenant: it sees no tenant's row. */
  query<R = Row>(statement: Statement): Promise<R[]>;
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

const SET_READ_TENANT = "set_config('app.tenant_ids', $1, true)";

/** A setting for a read: its transaction can change nothing. */
function forReading(name: string, setting: string, values: string[]): Setting {
  return { name, text: `select ${setting}, set_config('transaction_read_only', 'on', true)`, values };
}

export interface OpenDatabaseOptions {
  databaseUrl: string;
  poolSize: number;
  applicationName: string;
  logger: Logger;
}

/** Opens the pool of one process. Connects lazily; errors of idle connections are logged, never thrown. */
export function openDatabase(options: OpenDatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    pipeline: true,
    options: appSessionOptions(options.databaseUrl, { keyed: true }),
  });
  pool.on('error', (error) => {
    // The pool does not wait for its last connections to close: a server that stops next to us cuts them.
    if (pool.ending) return;
    // It hangs the client onto the error: pages of a log line, and nothing of use.
    Reflect.deleteProperty(error, 'client');
    options.logger.warn({ err: error }, 'postgres connection lost');
  });
  return new PooledDatabase(pool, options.poolSize);
}

/**
 * A cached plan knows the tables as they were: one made on an empty table may read a whole tenant by an index that looked as good as the key then.
 * Planning anew every two seconds costs a busy connection a few thousandths of its time and follows the growth.
 */
const PLAN_LIFETIME_MS = 2000;

class PooledDatabase implements Database {
  private readonly plannedAt = new WeakMap<pg.PoolClient, number>();
  private readonly slowQueries = new SlowQueries();
  private readonly lanes = new ReadLanes(() => this.lease(), this.slowQueries);
  private readonly slowReads: SlowReads;

  constructor(
    private readonly pgPool: pg.Pool,
    poolSize: number,
  ) {
    this.slowReads = new SlowReads(poolSize);
  }

  async read<R>(tenantId: string, statement: Statement): Promise<R[]> {
    const read = { tenantId, query: statement.name ?? statement.text };
    const queue = this.findQueue(read, statement);
    if (queue) return this.readApart<R>(queue, read, statement);
    const setTenant = forReading('read-tenant', SET_READ_TENANT, [tenantId]);
    return this.readWith<R>(setTenant, statement, read);
  }

  async readByKeyHash<R>(hash: Buffer, statement: Statement): Promise<R[]> {
    const values = [hash.toString('hex')];
    const setHash = forReading('read-key-hash', "set_config('app.key_hash', $1, true)", values);
    return this.readWith<R>(setHash, statement);
  }

  async readByEmail<R>(email: string, statement: Statement): Promise<R[]> {
    const setEmail = forReading('read-email', "set_config('app.user_email', $1, true)", [email]);
    return this.readWith<R>(setEmail, statement);
  }

  async query<R>(statement: Statement): Promise<R[]> {
    return this.withClient(async (client) => (await send(client, statement)).rows as R[]);
  }

  async tenantIds(): Promise<string[]> {
    const setPurpose = forReading('read-directory', "set_config('app.purpose', 'directory', true)", []);
    const list = { text: 'select tenant_id from tenants order by tenant_id' };
    const rows = await this.readWith<{ tenant_id: string }>(setPurpose, list);
    return rows.map((row) => row.tenant_id);
  }

  async transaction<T>(tenantIds: readonly string[], work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.inTransaction(tenantIds, work, 'commit');
  }

  async rehearse<T>(tenantIds: readonly string[], work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.inTransaction(tenantIds, work, 'rollback');
  }

  pool() {
    return { total: this.pgPool.totalCount, idle: this.pgPool.idleCount, waiting: this.pgPool.waitingCount };
  }

  async close(): Promise<void> {
    await this.pgPool.end();
  }

  private readWith<R>(setting: Setting, statement: Statement, read?: TenantRead): Promise<R[]> {
    return this.lanes.run(read, async (client) => {
      const { rows } = await readWithSetting(client, setting, statement);
      return rows as R[];
    });
  }

  /**
   * The queue of a read that needs a connection of its own; undefined: it shares one with others.
   */
  private findQueue(read: TenantRead, { timeoutMs }: Statement): SlowReadQueue | undefined {
    if (timeoutMs !== undefined) return 'searches';
    this.lanes.recordStalls();
    if (this.slowQueries.has(read)) return 'slowQueries';
    return this.lanes.areHeldUp(read.tenantId) ? 'heldUp' : undefined;
  }

  /**
   * A read on a connection of its own, when the tenant's share allows: nobody else's reads wait
   * behind it.
   * @throws {AppError} 503 when too many of the tenant's reads wait before it
   */
  private readApart<R>(queue: SlowReadQueue, read: TenantRead, statement: Statement): Promise<R[]> {
    const { tenantId } = read;
    const { timeoutMs } = statement;
    const setTenant =
      timeoutMs === undefined
        ? forReading('read-tenant', SET_READ_TENANT, [tenantId])
        : forReading('read-tenant-in-time', `${SET_READ_TENANT}, set_config('statement_timeout', $2, true)`, [
            tenantId,
            `${timeoutMs}`,
          ]);
    return this.slowReads.run(queue, tenantId, () =>
      this.withClient(async (client) => {
        const readRows = () => readWithSetting(client, setTenant, statement);
        // A slow search tells nothing of other reads: searches have a queue of their own anyway.
        const { rows } = await (queue === 'searches' ? readRows() : this.slowQueries.measure(read, readRows));
        return rows as R[];
      }),
    );
  }

  private inTransaction<T>(
    tenantIds: readonly string[],
    work: (tx: Transaction) => Promise<T>,
    end: 'commit' | 'rollback',
  ): Promise<T> {
    return this.withClient((client, discard) => runTransaction(client, { tenantIds, work, end, discard }));
  }

  /** A client that failed below the protocol is thrown away; one whose statement failed goes back to the pool. */
  private async withClient<T>(
    work: (client: pg.PoolClient, discard: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    const lease = await this.lease();
    try {
      return await work(lease.client, lease.discard);
    } catch (error) {
      if (isConnectionError(error)) lease.discard(error as Error);
      throw error;
    } finally {
      lease.release();
    }
  }

  private async lease(): Promise<Lease> {
    const client = await this.pgPool.connect().catch((error: unknown) => {
      throw markFailedConnect(error);
    });
    let broken: Error | undefined;
    const discard = (error: Error) => {
      broken = error;
    };
    client.on('error', discard);
    const forgetOldPlans = () => this.forgetOldPlans(client, discard);
    forgetOldPlans();
    const release = () => {
      client.off('error', discard);
      client.release(broken);
    };
    return { client, discard, forgetOldPlans, release };
  }

  private forgetOldPlans(client: pg.PoolClient, discard: (error: Error) => void): void {
    const now = Date.now();
    const plannedAt = this.plannedAt.get(client);
    if (plannedAt !== undefined && now - plannedAt < PLAN_LIFETIME_MS) return;
    this.plannedAt.set(client, now);
    // Leaves in the same flush as the work that follows.
    if (plannedAt === undefined) return;
    gatherSends(client);
    client.query('discard plans').catch(discard);
  }
}
