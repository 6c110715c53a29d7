import { serviceUnavailable } from '../errors.js';
import { createFairLimit, type FairLimit, TooManyWaitingError } from '../limits/fair-limit.js';

/**
 * The reason why a read needs its own connection. `searches`: the read is a search. `slowQueries`:
 * its query was slow recently for this tenant. `heldUp`: slow reads block the tenant's shared
 * connections.
 */
export type SlowReadQueue = 'searches' | 'slowQueries' | 'heldUp';

/**
 * Each tenant runs one read per queue at a time, so its searches do not delay its other reads. The
 * tenant whose reads have taken the least time is next. A tenant that searches rarely thus does not
 * wait for tenants that flood the queue. PostgreSQL cancels a search after 1 s and any other read
 * after 5 s, so a connection becomes free within `maxWaitMs`.
 */
const LIMIT = {
  queues: ['searches', 'slowQueries', 'heldUp'] as const,
  maxRunningPerGroup: 1,
  maxQueuedPerGroup: 50,
  maxWaitMs: 6000,
  leastTimeFirst: true,
};

/**
 * Runs each slow read on its own connection. All slow reads together use at most three tenths of
 * the pool, but at least one connection.
 */
export class SlowReads {
  private readonly limit: FairLimit<SlowReadQueue>;

  constructor(poolSize: number) {
    const maxRunning = Math.max(1, Math.floor((poolSize * 3) / 10));
    // For example, with a pool of ten, each queue uses at most two of the three connections. One
    // connection is then left to the other queues.
    const maxRunningPerQueue = Math.max(1, Math.floor(poolSize / 5));
    this.limit = createFairLimit({ ...LIMIT, maxRunning, maxRunningPerQueue });
  }

  /**
   * @throws {AppError} 503 if too many of the tenant's reads are waiting, or this read waited too
   * long
   */
  async run<T>(queue: SlowReadQueue, tenantId: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.limit.run({ queue, group: tenantId }, read);
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      const label = queue === 'searches' ? 'searches' : 'slow reads';
      throw serviceUnavailable(
        `Too many ${label} of this account are waiting. Send fewer at a time, or narrower ones.`,
        error,
      );
    }
  }
}
