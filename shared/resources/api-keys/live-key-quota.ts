import type { AccountQuotaRule } from '../../records/account-quota.js';

/**
 * Far above what integrations need. The limit keeps an account from filling the caches and
 * rate-limit windows of every process.
 */
const MAX_LIVE_KEYS = 100;

/**
 * Limits the API keys and agent keys of an account together; its sandbox is a separate account. A
 * key counts until it is revoked or expires. A rolled key also counts while it works alongside its
 * successor.
 */
export const LIVE_KEY_QUOTA: AccountQuotaRule = {
  table: 'api_keys',
  // Must match the condition of the index api_keys_live.
  countedRows: `t.revoked_at is null
    and case when t.expires_at is null then 'infinity'::timestamptz else t.expires_at end > now()`,
  maxRecords: MAX_LIVE_KEYS,
  refusalMessage:
    `An account has ${MAX_LIVE_KEYS} live keys at most, API keys and agent keys together. ` +
    'Revoke one that is no longer needed; a key can still be rolled with overlap_hours 0.',
};
