import type { ExpiryRule } from '../../records/expiry.js';

/**
 * The clock cancels a replay that has not created all its deliveries within this time (ms). Without
 * this limit, a replay to a failing endpoint might never end, because it waits while the endpoint
 * has its maximum of unfinished deliveries.
 */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/**
 * A replay may repeat deliveries in these statuses. It skips pending deliveries, because workers
 * will attempt them anyway.
 */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/**
 * Maximum number of running replays per account. If several replays start at the same moment, a few
 * more than this may run.
 */
export const MAX_RUNNING_REPLAYS = 10;

/** A replay that has ended is kept as long as its deliveries (`migrations/partitions.ts`). */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
