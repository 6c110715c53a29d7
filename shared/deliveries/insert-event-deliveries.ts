import { idTimeSql } from '../platform/id-times.js';
import { IS_LIVE_KEY_SQL } from '../records/keys/live-key-sql.js';
import { deliveryIdSql } from './delivery-ids.js';

/**
 * SQL condition on endpoints `p`: the endpoint belongs to a motor club that has no key any more, so
 * the account has parted from the club. Such an endpoint gets nothing, though it is enabled.
 */
export const IS_OF_PARTED_CLUB_SQL = `(p.club_id is not null and not exists (
  select from api_keys t where t.tenant_id = p.tenant_id and t.club_id = p.club_id and ${IS_LIVE_KEY_SQL}))`;

/**
 * SQL that follows RECORD_EVENTS in the caller's query. For each event in `new_events`, it inserts
 * one delivery per endpoint that subscribes to the event. The deliveries are committed together
 * with the events, so none is lost (transactional outbox). The common table expression `delivered`
 * returns the endpoint of each delivery.
 */
export const INSERT_EVENT_DELIVERIES = `
  delivered as (
    insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, created_at)
    select n.tenant_id, ${deliveryIdSql('n.id', 'n.id', 'p.id')}, p.id, n.id, n.type, ${idTimeSql('n.id')}
    from new_events n cross join lateral (
      select p.id from webhook_endpoints p
      where p.tenant_id = n.tenant_id and p.enabled and p.deleted_at is null and p.event_types && n.filters
        and p.id is distinct from n.except_endpoint and (p.club_id is null or p.club_id = n.club_id and not ${IS_OF_PARTED_CLUB_SQL})
      -- offset 0 prevents a join: without table statistics it would read and filter the endpoints of all tenants.
      offset 0
    ) p
    returning tenant_id, endpoint_id
  )`;
