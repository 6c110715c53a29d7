import type { AccountQuotaRule } from '../../records/account-quota.js';
import { IS_LIVE_KEY_SQL } from '../../records/keys/live-key-sql.js';

/**
 * Maximum number of live keys in an account. Integrations need far fewer. The limit protects the
 * caches and rate-limit windows of every process.
 */
const MAX_LIVE_KEYS = 100;

/**
 * Limits the API keys and agent keys of an account together. The sandbox has its own limit. A key
 * counts until it is revoked or expires, so a rolled key counts during the overlap.
 */
export const LIVE_KEY_QUOTA: AccountQuotaRule = {
  table: 'api_keys',
  countedRows: IS_LIVE_KEY_SQL,
  maxRecords: MAX_LIVE_KEYS,
  refusalMessage:
    `An account has ${MAX_LIVE_KEYS} live keys at most, API keys and agent keys together. ` +
    'Revoke one that is no longer needed; a key can still be rolled with overlap_hours 0.',
};
