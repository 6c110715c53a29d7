import { IS_LIVE_KEY_SQL } from '../records/live-key-sql.js';

/**
 * SQL condition on endpoints `p`: the endpoint belongs to a motor club that has no key any more, so
 * the account has parted from the club. Such an endpoint gets nothing, though it is enabled.
 */
export const IS_OF_PARTED_CLUB_SQL = `(p.club_id is not null and not exists (
  select from api_keys t where t.tenant_id = p.tenant_id and t.club_id = p.club_id and ${IS_LIVE_KEY_SQL}))`;
