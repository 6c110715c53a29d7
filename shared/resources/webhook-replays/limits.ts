import type { ExpiryRule } from '../../records/expiry.js';

/**
 * The clock cancels a replay that has not created all its deliveries after this time in ms. At an
 * endpoint that keeps failing, few deliveries can be created.
 */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/** A replay may repeat these deliveries. A pending delivery will be attempted anyway. */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/** Maximum running replays of an account. A few more may run if they start at the same moment. */
export const MAX_RUNNING_REPLAYS = 10;

/** Completed replays stay as long as their deliveries (`migrations/partitions.ts`). */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
