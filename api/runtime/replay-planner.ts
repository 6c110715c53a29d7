import { serviceUnavailable } from '../../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import {
  type PlannedReplay,
  planReplay,
  type ReplayRequest,
} from '../../shared/resources/webhook-replays/plan.js';

/**
 * Limits how many replays count their deliveries at the same time. A counting query uses one
 * database connection for up to a second. Without the limit, these queries could leave no
 * connections for other work. Each account runs one such query at a time.
 */
const COUNT_LIMITS = {
  queues: ['replays'] as const,
  maxRunning: 2,
  maxRunningPerGroup: 1,
  maxQueued: 20,
  maxQueuedPerGroup: 4,
};

/**
 * Counts the deliveries that a replay would create. `COUNT_LIMITS` limits concurrent counts.
 * @throws {AppError} 503 if too many counts already wait
 */
export type ReplayPlanner = (replay: ReplayRequest) => Promise<PlannedReplay>;

export function createReplayPlanner(db: Database): ReplayPlanner {
  const limit = createFairLimit(COUNT_LIMITS);
  return async (replay) => {
    try {
      return await limit.run({ queue: 'replays', group: replay.tenantId }, () => planReplay(db, replay));
    } catch (error) {
      if (!(error instanceof TooManyWaitingError)) throw error;
      throw serviceUnavailable(
        'Too many replays are being counted at this moment. Try again shortly.',
        error,
      );
    }
  };
}
