import { firstIdAtSql } from '../platform/id-times.js';
import type { ExpiryRule } from '../records/expiry.js';

const monthAgo = firstIdAtSql("now() - interval '30 days'");

export const EXPIRED_CALLS: ExpiryRule = {
  table: 'connection_calls',
  condition: `o.id < ${monthAgo}`,
};

/**
 * Webhook items expire after 7 days. Vendors then no longer repeat a webhook, so the service need
 * not recognize duplicates.
 */
export const EXPIRED_INBOUND_NOTICES: ExpiryRule = {
  table: 'inbound_notices',
  condition: "o.received_at < now() - interval '7 days'",
};

export const EXPIRED_OUTBOUND_OPERATIONS: ExpiryRule = {
  table: 'outbound_operations',
  condition: `o.id < ${monthAgo} and o.state = 'done'`,
};

export const EXPIRED_SYNC_RUNS: ExpiryRule = {
  table: 'sync_runs',
  condition: `o.id < ${monthAgo}`,
};

/**
 * A sign-in attempt at a vendor is deleted one day after its expiry, even if the sign-in was
 * completed.
 */
export const EXPIRED_OAUTH_ATTEMPTS: ExpiryRule = {
  table: 'oauth_attempts',
  condition: "o.expires_at < now() - interval '1 day'",
};
