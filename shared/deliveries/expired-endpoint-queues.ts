import { type ExpiryRule, RETENTION } from '../records/expiry.js';

/**
 * The endpoint queue of a deleted endpoint expires 24 hours after the deletion. It stays while a
 * worker leases the queue or a delivery is open.
 */
export const EXPIRED_ENDPOINT_QUEUES: ExpiryRule = {
  table: 'webhook_lanes',
  condition: `coalesce(o.lease_until < now(), true)
    and exists (select from webhook_endpoints e where e.tenant_id = o.tenant_id and e.id = o.endpoint_id and e.deleted_at < now() - ${RETENTION})
    and not exists (select from webhook_deliveries d
                    where d.tenant_id = o.tenant_id and d.endpoint_id = o.endpoint_id and d.next_attempt_at is not null)`,
};
