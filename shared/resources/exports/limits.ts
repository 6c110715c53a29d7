import type { ExpiryRule } from '../../records/expiry.js';

export const MAX_UNFINISHED_EXPORTS = 10;

/** An export fails after this many runs without a result, such as runs of killed workers. */
export const MAX_EXPORT_TRIES = 5;

/**
 * Exports without a file are kept for 90 days, so that people can read the reason and request the
 * export again.
 */
export const EXPIRED_EXPORTS: ExpiryRule = {
  table: 'exports',
  condition: `o.status in ('failed', 'cancelled', 'expired') and o.object_key is null and o.updated_at < now() - interval '90 days'`,
};
