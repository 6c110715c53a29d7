import type { ExpiryRule } from '../../records/expiry.js';

/**
 * The clock cancels a replay that has not created all its deliveries within this time (ms). An
 * endpoint that keeps failing may delay a replay without end, because only a limited number of its
 * deliveries may be open.
 */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/**
 * A replay may repeat deliveries in these statuses. It skips pending deliveries, because these will
 * be attempted anyway.
 */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/**
 * Maximum number of running replays per account. A few more may run if they start at the same
 * moment.
 */
export const MAX_RUNNING_REPLAYS = 10;

/** Completed replays are kept as long as their deliveries (`migrations/partitions.ts`). */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
