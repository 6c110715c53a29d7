import { serviceUnavailable } from './errors.js';
import { createFairLimit, type FairLimit } from './fair-limit.js';
import { GateFullError } from './gate.js';

/** A read that keeps PostgreSQL busy for this long delays every read behind it on its connection. */
export const SLOW_READ_MS = 100;

/** Quick reads in a row that make up for a slow one. */
const QUICK_READS_PER_SLOW_ONE = 20;

/** Remembers which tenants' reads were slow lately. One pause of this process is soon forgiven; a tenant that goes on is not. */
export class SlowReaders {
  private readonly scores = new Map<string, number>();

  has(tenantId: string): boolean {
    return this.scores.has(tenantId);
  }

  /** @param durationMs without the wait for reads before it */
  record(tenantId: string, durationMs: number): void {
    if (durationMs >= SLOW_READ_MS) {
      this.scores.set(tenantId, QUICK_READS_PER_SLOW_ONE);
      return;
    }
    const score = this.scores.get(tenantId);
    if (score === undefined) return;
    if (score <= 1) this.scores.delete(tenantId);
    else this.scores.set(tenantId, score - 1);
  }
}

/** One tenant has one slow read under way at a time, all tenants together a fifth of the connections. */
const LIMIT = { queues: ['reads'] as const, maxRunningPerGroup: 1, maxQueuedPerGroup: 50, maxWaitMs: 2000 };

/** Runs a read and remembers how long PostgreSQL took over it. */
export type Measure = <T>(read: () => Promise<T>) => Promise<T>;

/** Reads that may be slow: tenants take turns, and none has more than one under way. */
export class SlowReads {
  private readonly limit: FairLimit<'reads'>;

  constructor(
    private readonly readers: SlowReaders,
    poolSize: number,
  ) {
    this.limit = createFairLimit({ ...LIMIT, maxRunning: Math.max(1, Math.floor(poolSize / 5)) });
  }

  /**
   * Runs the work when it is the tenant's turn.
   * @throws {AppError} 503 when too many of the tenant's reads wait before it, or it has waited too long
   */
  async run<T>(tenantId: string, work: (measure: Measure) => Promise<T>): Promise<T> {
    const measure: Measure = (read) => {
      const startedAt = performance.now();
      return read().finally(() => this.readers.record(tenantId, performance.now() - startedAt));
    };
    try {
      return await this.limit.run({ queue: 'reads', group: tenantId }, () => work(measure));
    } catch (error) {
      if (!(error instanceof GateFullError)) throw error;
      throw serviceUnavailable(
        'Too many slow reads of this account are waiting. Send fewer at a time, or narrower ones.',
        error,
      );
    }
  }
}
