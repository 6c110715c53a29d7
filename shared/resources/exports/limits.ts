import type { ExpiryRule } from '../../records/expiry.js';

export const MAX_UNFINISHED_EXPORTS = 10;

/**
 * An export fails after this many runs without a result, for example because workers were killed.
 */
export const MAX_EXPORT_TRIES = 5;

/**
 * The clock deletes exports without a file after 90 days. Until then, people can read why an export
 * failed, and request it again.
 */
export const EXPIRED_EXPORTS: ExpiryRule = {
  table: 'exports',
  condition: `o.status in ('failed', 'cancelled', 'expired') and o.object_key is null and o.updated_at < now() - interval '90 days'`,
};
