import type { ExpiryRule } from '../../records/expiry.js';

/**
 * A replay that has not created all its deliveries after this time is cancelled. At an endpoint
 * that keeps failing, few of them can be created. In ms.
 */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/**
 * Statuses of deliveries that a replay may repeat. A pending delivery is excluded: it will still be
 * attempted, so a replay would only duplicate it.
 */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/**
 * Maximum running replays of an account. Replays that start at the same moment may exceed it by a
 * few.
 */
export const MAX_RUNNING_REPLAYS = 10;

/**
 * Completed replays. They are kept as long as the deliveries that they replayed
 * (`migrations/partitions.ts`).
 */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
