import type { Database, Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import type { DueResult } from './find-due-deliveries.js';
import { IS_OF_PARTED_CLUB_SQL } from './insert-event-deliveries.js';

const CANCEL_DELIVERY_SQL = "status = 'cancelled', next_attempt_at = null, completed_at = clock_timestamp()";

/** Cancels deliveries. The caller must have locked them and checked that they have not ended. */
export async function cancelDeliveriesById(tx: Transaction, refs: readonly RecordRef[]): Promise<void> {
  if (refs.length === 0) return;
  await tx.query({
    name: 'cancel-deliveries',
    text: `update webhook_deliveries d set ${CANCEL_DELIVERY_SQL} from ${recordsetSql('tenant_id uuid, id uuid')}
           where d.tenant_id = r.tenant_id and d.id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

/** `id` is the id of a replay whose open deliveries at `endpoint_id` were cancelled. */
interface AffectedEndpoint extends RecordRef {
  endpoint_id: string;
}

/**
 * Cancels the open deliveries of replays. Locks the deliveries in id order to avoid deadlocks.
 * Reads few rows, because only a few hundred replay deliveries of an endpoint may be open.
 * @returns each replay that had open deliveries, once per endpoint
 */
export async function cancelDeliveriesOfReplays(
  tx: Transaction,
  replays: readonly RecordRef[],
): Promise<AffectedEndpoint[]> {
  return tx.query<AffectedEndpoint>({
    name: 'cancel-deliveries-of-replays',
    text: `with open as materialized (
             select d.tenant_id, d.id, d.replay_id, d.endpoint_id
             from ${recordsetSql('tenant_id uuid, id uuid')}
             join webhook_endpoints e on e.tenant_id = r.tenant_id
             join webhook_deliveries d on d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.priority = 1
               and d.next_attempt_at is not null and d.replay_id = r.id
             order by d.tenant_id, d.id for update of d
           ), cancelled as (
             update webhook_deliveries d set ${CANCEL_DELIVERY_SQL} from open where d.tenant_id = open.tenant_id and d.id = open.id
           )
           select distinct tenant_id, replay_id as id, endpoint_id from open`,
    values: [JSON.stringify(replays.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}

const MAX_CANCELLED_PER_PASS = 1000;

/**
 * Cancels the open deliveries that a disabled or deleted endpoint does not accept, at most {@link
 * MAX_CANCELLED_PER_PASS} per call. Returns true if more may remain.
 */
export async function cancelDeliveriesOfEndpoint(
  db: Database,
  { tenantId, endpointId, accepts: accepted }: Pick<DueResult, 'tenantId' | 'endpointId' | 'accepts'>,
): Promise<boolean> {
  const rows = await db.transaction([tenantId], (tx) =>
    tx.query<{ id: string }>({
      name: 'cancel-open-deliveries',
      text: `update webhook_deliveries d set status = 'cancelled', next_attempt_at = null, completed_at = now(), last_error = 'endpoint_disabled'
             where d.tenant_id = $1 and d.id = any (array(
               select o.id from webhook_deliveries o
               where o.tenant_id = $1 and o.endpoint_id = $2 and o.next_attempt_at is not null and (o.trigger <> 'probe' or $3)
               limit ${MAX_CANCELLED_PER_PASS}))
               and d.next_attempt_at is not null
               and exists (select from webhook_endpoints p where p.tenant_id = $1 and p.id = $2 and (not p.enabled or p.deleted_at is not null
                 or ${IS_OF_PARTED_CLUB_SQL}))
             returning d.id`,
      values: [tenantId, endpointId, accepted === 'none'],
    }),
  );
  return rows.length === MAX_CANCELLED_PER_PASS;
}
