import type pg from 'pg';
import { isConnectionError } from './errors.js';
import { SLOW_READ_MS, type SlowQueries, type TenantRead } from './postgres-slow-queries.js';

/** A client taken from the pool. `discard` marks it as broken, so that `release` closes it instead of keeping it. */
export interface Lease {
  client: pg.PoolClient;
  discard: (error: Error) => void;
  /** Makes the plans of the connection anew when they are old; sent before the work that follows. */
  forgetOldPlans: () => void;
  release: () => void;
}

/** A read under way. */
interface Sent {
  /** Undefined: it belongs to no tenant, as a look for a credential. */
  read: TenantRead | undefined;
  sentAt: number;
}

interface Lane {
  lease: Promise<Lease>;
  /** In the order in which PostgreSQL answers them. */
  inFlight: Sent[];
  /** When the last read ended, so that the next one's time is told from its wait. */
  endedAt: number;
}

/** Connections that reads share; measured: more of them cost more wake-ups, fewer leave a core idle. */
const MAX_LANES = 4;

/** One tenant's reads leave a connection to the others', even before they turn out to be slow. */
const MAX_LANES_PER_TENANT = 3;

/**
 * Of a tenant that had slow queries lately: it may have more of them, of which nothing is known
 * yet.
 */
const MAX_LANES_PER_SLOW_TENANT = 1;

/**
 * Reads share a few connections: with `pipeline: true` several short transactions may be under way on one. Under load they leave and come back together,
 * and the server's process stays awake between them; waking it for each read alone was a third of the api's time (measured). A lane goes back to the pool
 * as soon as nothing is under way on it.
 */
export class ReadLanes {
  private readonly lanes: Lane[] = [];

  constructor(
    private readonly lease: () => Promise<Lease>,
    private readonly slowQueries: SlowQueries,
  ) {}

  /** Runs a read that sends all its statements before it first waits, so that nobody else's come between them. */
  async run<T>(read: TenantRead | undefined, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const lane = this.take(read?.tenantId);
    const sent = { read, sentAt: performance.now() };
    lane.inFlight.push(sent);
    try {
      const { client, discard, forgetOldPlans } = await lane.lease;
      // Before each read: a lane that never runs empty must not keep its plans for ever.
      forgetOldPlans();
      try {
        return await work(client);
      } catch (error) {
        if (isConnectionError(error)) {
          this.close(lane);
          discard(error as Error);
        }
        throw error;
      }
    } finally {
      this.give(lane, sent);
    }
  }

  /** Records the slow queries that have not ended yet. */
  recordStalls(): void {
    for (const lane of this.lanes) {
      const [oldest] = lane.inFlight;
      if (oldest?.read && isStalled(lane)) this.slowQueries.record(oldest.read, SLOW_READ_MS);
    }
  }

  /** True when a read of this tenant would wait behind a slow one. */
  areHeldUp(tenantId: string): boolean {
    const own = this.lanesOf(tenantId);
    return own.length >= this.maxLanesOf(tenantId) && own.every(isStalled);
  }

  private lanesOf(tenantId: string): Lane[] {
    return this.lanes.filter((lane) => lane.inFlight.some(({ read }) => read?.tenantId === tenantId));
  }

  private maxLanesOf(tenantId: string): number {
    return this.slowQueries.hasAny(tenantId) ? MAX_LANES_PER_SLOW_TENANT : MAX_LANES_PER_TENANT;
  }

  private take(tenantId: string | undefined): Lane {
    const own = tenantId === undefined ? [] : this.lanesOf(tenantId);
    if (tenantId !== undefined && own.length >= this.maxLanesOf(tenantId)) return pickIdlest(own) as Lane;
    const idlest = pickIdlest(this.lanes);
    if (idlest && this.lanes.length >= MAX_LANES) return idlest;
    // Until it has its connection, nobody's read on it is slow: waiting for one tells nothing of a
    // read.
    const lane: Lane = {
      lease: this.lease(),
      inFlight: [],
      endedAt: Number.POSITIVE_INFINITY,
    };
    lane.lease.then(
      () => {
        lane.endedAt = performance.now();
      },
      // The reads that wait for the connection get the error.
      () => undefined,
    );
    this.lanes.push(lane);
    return lane;
  }

  private give(lane: Lane, sent: Sent): void {
    const now = performance.now();
    if (sent.read) this.slowQueries.record(sent.read, now - Math.max(sent.sentAt, lane.endedAt));
    lane.endedAt = now;
    lane.inFlight.splice(lane.inFlight.indexOf(sent), 1);
    if (lane.inFlight.length > 0) return;
    this.close(lane);
    lane.lease.then(
      ({ release }) => release(),
      () => undefined,
    );
  }

  /** Takes no more reads: it is empty, or its connection is lost. */
  private close(lane: Lane): void {
    const index = this.lanes.indexOf(lane);
    if (index >= 0) this.lanes.splice(index, 1);
  }
}

/** The lane with the fewest reads under way, of those that flow. */
function pickIdlest(lanes: Lane[]): Lane | undefined {
  const flowing = lanes.filter((lane) => !isStalled(lane));
  return (flowing.length > 0 ? flowing : lanes).reduce<Lane | undefined>(
    (best, lane) => (best === undefined || lane.inFlight.length < best.inFlight.length ? lane : best),
    undefined,
  );
}

/** True while the read that PostgreSQL works on is a slow one. */
function isStalled({ inFlight: [oldest], endedAt }: Lane): boolean {
  return oldest !== undefined && performance.now() - Math.max(oldest.sentAt, endedAt) > SLOW_READ_MS;
}
