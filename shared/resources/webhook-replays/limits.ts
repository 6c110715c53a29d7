import type { ExpiryRule } from '../../records/expiry.js';

/**
 * A replay that has not created all its deliveries after this time is cancelled, because an
 * endpoint that keeps failing lets few of them be created. In ms.
 */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/**
 * A replay may repeat deliveries in these statuses. A pending delivery will still be attempted, so
 * a replay would only duplicate it.
 */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/** Maximum running replays of an account. A few more may run if they start at the same moment. */
export const MAX_RUNNING_REPLAYS = 10;

/**
 * Completed replays are kept as long as the deliveries that they replayed
 * (`migrations/partitions.ts`).
 */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
