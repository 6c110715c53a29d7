import type { PlacesOf } from '../places.js';

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
export const LIVE_KEYS: PlacesOf = {
  table: 'api_keys',
  // Must match the condition of the index api_keys_live.
  counted: `t.revoked_at is null
    and case when t.expires_at is null then 'infinity'::timestamptz else t.expires_at end > now()`,
  most: MAX_LIVE_KEYS,
  refusal:
    `An account has ${MAX_LIVE_KEYS} live keys at most, API keys and agent keys together. ` +
    'Revoke one that is no longer needed; a key can still be rolled with overlap_hours 0.',
};
