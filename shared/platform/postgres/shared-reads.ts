import type pg from 'pg';
import { isConnectionError } from '../errors.js';
import { SLOW_READ_MS, type SlowQueries, type TenantRead } from './slow-queries.js';

/**
 * A client from the pool. `discard` marks the client as broken, so that `release` closes its
 * connection.
 */
export interface CheckedOutClient {
  client: pg.PoolClient;
  discard: (error: Error) => void;
  /** Discards the connection's cached plans if they are old. Call this before sending queries. */
  discardOldPlans: () => void;
  release: () => void;
}

interface PendingRead {
  /** Undefined if the read belongs to no tenant, for example the look-up of a credential. */
  read: TenantRead | undefined;
  sentAt: number;
}

interface SharedConnection {
  checkout: Promise<CheckedOutClient>;
  /**
   * The reads that were sent and have no result yet, in the sequence in which PostgreSQL runs them.
   */
  inFlight: PendingRead[];
  /** End of the previous read. The run time of the next read is measured from here. */
  endedAt: number;
}

/**
 * Measured: with more connections, PostgreSQL wakes up more often; with fewer, a core stays idle.
 */
const MAX_CONNECTIONS = 4;

/**
 * The limit for one tenant. It leaves at least one connection to other tenants, even if this
 * tenant's reads do not count as slow yet.
 */
const MAX_CONNECTIONS_PER_TENANT = 3;

/** The limit for a tenant with recent slow queries, whose next reads may be slow too. */
const MAX_CONNECTIONS_PER_SLOW_TENANT = 1;

/**
 * Runs reads on a few shared connections. Each connection can have several short transactions in
 * flight (`pipeline: true`). Under load, PostgreSQL's process for a connection therefore always has
 * a next read and stays awake. Waking the process for each read took a third of the API's time
 * (measured). A connection without reads in flight returns to the pool.
 */
export class SharedReadConnections {
  private readonly connections: SharedConnection[] = [];

  constructor(
    private readonly checkOut: () => Promise<CheckedOutClient>,
    private readonly slowQueries: SlowQueries,
  ) {}

  /**
   * Runs `work` on a shared connection. `work` must send all its queries before its first await, so
   * that other reads cannot send queries in between.
   */
  async run<T>(read: TenantRead | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const connection = this.acquire(read?.tenantId);
    const pending = { read, sentAt: performance.now() };
    connection.inFlight.push(pending);
    try {
      const { client, discard, discardOldPlans } = await connection.checkout;
      // Discard before each read, not only at checkout, because under load a shared connection may
      // never return to the pool.
      discardOldPlans();
      try {
        return await work(client);
      } catch (error) {
        if (isConnectionError(error)) {
          this.retire(connection);
          discard(error as Error);
        }
        throw error;
      }
    } finally {
      this.finishRead(connection, pending);
    }
  }

  /** Records slow reads that are still running. */
  recordStalls(): void {
    for (const connection of this.connections) {
      const [oldest] = connection.inFlight;
      if (oldest?.read && isStalled(connection)) this.slowQueries.record(oldest.read, SLOW_READ_MS);
    }
  }

  /** True if a new read of this tenant would wait behind a slow read. */
  areStalledFor(tenantId: string): boolean {
    const own = this.listConnectionsOf(tenantId);
    return own.length >= this.getMaxConnections(tenantId) && own.every(isStalled);
  }

  private listConnectionsOf(tenantId: string): SharedConnection[] {
    return this.connections.filter((connection) =>
      connection.inFlight.some(({ read }) => read?.tenantId === tenantId),
    );
  }

  private getMaxConnections(tenantId: string): number {
    return this.slowQueries.hasAny(tenantId) ? MAX_CONNECTIONS_PER_SLOW_TENANT : MAX_CONNECTIONS_PER_TENANT;
  }

  private acquire(tenantId: string | undefined): SharedConnection {
    const own = tenantId === undefined ? [] : this.listConnectionsOf(tenantId);
    if (tenantId !== undefined && own.length >= this.getMaxConnections(tenantId))
      return pickIdlest(own) as SharedConnection;
    const idlest = pickIdlest(this.connections);
    if (idlest && this.connections.length >= MAX_CONNECTIONS) return idlest;
    // `endedAt` is Infinity until the pool provides the connection, so that waiting for the pool
    // does not count as a slow read.
    const connection: SharedConnection = {
      checkout: this.checkOut(),
      inFlight: [],
      endedAt: Number.POSITIVE_INFINITY,
    };
    connection.checkout.then(
      () => {
        connection.endedAt = performance.now();
      },
      // Ignore the error here. The reads that wait for this connection receive it.
      () => undefined,
    );
    this.connections.push(connection);
    return connection;
  }

  private finishRead(connection: SharedConnection, pending: PendingRead): void {
    const now = performance.now();
    if (pending.read)
      this.slowQueries.record(pending.read, now - Math.max(pending.sentAt, connection.endedAt));
    connection.endedAt = now;
    connection.inFlight.splice(connection.inFlight.indexOf(pending), 1);
    if (connection.inFlight.length > 0) return;
    this.retire(connection);
    connection.checkout.then(
      ({ release }) => release(),
      () => undefined,
    );
  }

  /** Stops using a connection that is idle or broken. */
  private retire(connection: SharedConnection): void {
    const index = this.connections.indexOf(connection);
    if (index >= 0) this.connections.splice(index, 1);
  }
}

/** Prefers connections that are not stalled, then those with the fewest reads in flight. */
function pickIdlest(connections: SharedConnection[]): SharedConnection | undefined {
  const responsive = connections.filter((connection) => !isStalled(connection));
  return (responsive.length > 0 ? responsive : connections).reduce<SharedConnection | undefined>(
    (best, connection) =>
      best === undefined || connection.inFlight.length < best.inFlight.length ? connection : best,
    undefined,
  );
}

/** True if PostgreSQL is running a slow read on this connection. */
function isStalled({ inFlight: [oldest], endedAt }: SharedConnection): boolean {
  return oldest !== undefined && performance.now() - Math.max(oldest.sentAt, endedAt) > SLOW_READ_MS;
}
