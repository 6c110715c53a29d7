import type { ExpiryRule } from '../../records/expiry.js';

/** In ms. At an endpoint that keeps failing, a replay cannot create all its deliveries. */
export const MAX_REPLAY_MS = 7 * 24 * 3600 * 1000;

/** A pending delivery will still be attempted, so a replay would only duplicate it. */
export const REPLAYABLE_STATUSES = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/** Maximum running replays of an account. A few more may run if they start at the same moment. */
export const MAX_RUNNING_REPLAYS = 10;

/** Completed replays stay as long as their deliveries (`migrations/partitions.ts`). */
export const EXPIRED_REPLAYS: ExpiryRule = {
  table: 'webhook_replays',
  condition: `o.completed_at < now() - interval '30 days'`,
};
