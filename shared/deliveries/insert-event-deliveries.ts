import { idTimeSql } from '../platform/id-times.js';
import { deliveryIdSql } from './delivery-ids.js';
import { IS_OF_PARTED_CLUB_SQL } from './parted-clubs.js';

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
