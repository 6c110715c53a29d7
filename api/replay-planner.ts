import { serviceUnavailable } from '../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../shared/platform/fair-limit.js';
import type { Database } from '../shared/platform/postgres.js';
import { type PlannedReplay, planReplay, type Wish } from '../shared/resources/webhook-replays/plan.js';

/**
 * Each count has a connection to itself for up to a second: more at once would leave none to the
 * others. Accounts take turns, and none counts more than one at a time.
 */
const COUNTS = {
  queues: ['replays'] as const,
  maxRunning: 2,
  maxRunningPerGroup: 1,
  maxQueued: 20,
  maxQueuedPerGroup: 4,
};

/** Counts what a replay would make, when it is its turn. @throws {AppError} 503 when too many wait already */
export type ReplayPlanner = (wish: Wish) => Promise<PlannedReplay>;

export function createReplayPlanner(db: Database): ReplayPlanner {
  const limit = createFairLimit(COUNTS);
  return async (wish) => {
    try {
      return await limit.run({ queue: 'replays', group: wish.tenantId }, () => planReplay(db, wish));
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      throw serviceUnavailable(
        'Too many replays are being counted at this moment. Try again shortly.',
        error,
      );
    }
  };
}
