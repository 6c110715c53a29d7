import type { PlacesOf } from '../places.js';

/**
 * Kept far above what integrations need, so that an account cannot fill the caches and windows of
 * every process.
 */
const MAX_LIVE_KEYS = 100;

/**
 * API keys and agent keys of an account together; its sandbox is an account of its own. A key takes
 * a place until it is revoked or expires, also one that was rolled, as long as it works beside its
 * successor.
 */
export const LIVE_KEYS: PlacesOf = {
  table: 'api_keys',
  // As the index api_keys_live has it.
  counted: `t.revoked_at is null
    and case when t.expires_at is null then 'infinity'::timestamptz else t.expires_at end > now()`,
  most: MAX_LIVE_KEYS,
  refusal:
    `An account has ${MAX_LIVE_KEYS} live keys at most, API keys and agent keys together. ` +
    'Revoke one that is no longer needed; a key can still be rolled with overlap_hours 0.',
};
