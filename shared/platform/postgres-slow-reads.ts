import { serviceUnavailable } from './errors.js';
import { createFairLimit, type FairLimit, TooManyWaitingError } from './fair-limit.js';

/**
 * Why a read has a connection of its own: it is a search, its query was slow lately for this
 * tenant, or slow reads hold up the connections that this tenant shares with others.
 */
export type SlowReadQueue = 'searches' | 'slowQueries' | 'heldUp';

/**
 * A tenant has one read of each queue under way, so that its searches delay none of its other
 * reads. The tenant whose reads have taken the least time comes next: one that searches now and
 * then never waits for a whole round of those that flood. PostgreSQL ends a search after 1 s and
 * any other read after 5 s, so some connection falls free within the time that a read may wait.
 */
const LIMIT = {
  queues: ['searches', 'slowQueries', 'heldUp'] as const,
  maxRunningPerGroup: 1,
  maxQueuedPerGroup: 50,
  maxWaitMs: 6000,
  leastTimeFirst: true,
};

/**
 * Reads that may be slow, each on a connection of its own: tenants share three tenths of the pool.
 */
export class SlowReads {
  private readonly limit: FairLimit<SlowReadQueue>;

  constructor(poolSize: number) {
    const maxRunning = Math.max(1, Math.floor((poolSize * 3) / 10));
    // Searches of all tenants leave a connection to slow reads, and the other way round.
    const maxRunningPerQueue = Math.max(1, Math.floor(poolSize / 5));
    this.limit = createFairLimit({ ...LIMIT, maxRunning, maxRunningPerQueue });
  }

  /**
   * Runs the read when it is its turn.
   * @throws {AppError} 503 when too many of the tenant's reads wait before it, or it has waited too
   * long
   */
  async run<T>(queue: SlowReadQueue, tenantId: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.limit.run({ queue, group: tenantId }, read);
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      const what = queue === 'searches' ? 'searches' : 'slow reads';
      throw serviceUnavailable(
        `Too many ${what} of this account are waiting. Send fewer at a time, or narrower ones.`,
        error,
      );
    }
  }
}
