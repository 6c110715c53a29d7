import type { Transaction } from '../platform/postgres/database.js';

export interface DueEndpointQueue {
  tenant_id: string;
  endpoint_id: string;
  /** Milliseconds until the queue is due; 0 if it is due now. */
  in_ms: number;
}

const firstDueSql = (priority: number) => `
  (select d.next_attempt_at from webhook_deliveries d
   where d.tenant_id = l.tenant_id and d.endpoint_id = l.endpoint_id and d.priority = ${priority} and d.next_attempt_at is not null
   order by d.next_attempt_at limit 1)`;

/**
 * Finds endpoint queues of the transaction's tenants that fall due within the horizon. Also finds
 * queues that are due already but have no worker, because their job was lost or their worker died.
 * A paused endpoint queue is due when its pause ends.
 */
export async function findDueEndpointQueues(
  tx: Transaction,
  { horizonSeconds, limit }: { horizonSeconds: number; limit: number },
): Promise<DueEndpointQueue[]> {
  return tx.query<DueEndpointQueue>({
    name: 'find-due-lanes',
    text: `select w.tenant_id, w.endpoint_id, greatest(0, extract(epoch from w.at - now()) * 1000)::float8 as in_ms
           from (
             select l.tenant_id, l.endpoint_id,
               case when p.enabled and p.deleted_at is null and l.stop_reason is null
                    then greatest(f.due, l.open_until, l.throttled_until) else now() end as at,
               (l.owner is null or l.lease_until < now()) as is_free
             from (select unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as tenant_id) t
             join webhook_lanes l on l.tenant_id = t.tenant_id
             join webhook_endpoints p on p.tenant_id = l.tenant_id and p.id = l.endpoint_id
             cross join lateral (select least(${firstDueSql(0)}, ${firstDueSql(1)}) as due) f
             where f.due is not null
           ) w
           where w.at <= now() + make_interval(secs => $1) and (w.is_free or w.at > now())
           order by w.at limit $2`,
    values: [horizonSeconds, limit],
  });
}
