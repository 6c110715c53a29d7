/**
 * SQL condition on API keys `t`: the key is neither revoked nor expired. It must match the index
 * api_keys_live.
 */
export const IS_LIVE_KEY_SQL = `t.revoked_at is null
    and case when t.expires_at is null then 'infinity'::timestamptz else t.expires_at end > now()`;
