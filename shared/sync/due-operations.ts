import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import { hasConnectionSql } from './operation-rows.js';

/**
 * Lets operations that a limit postponed try again now, because the settings of their connections
 * have changed.
 */
export async function makePostponedDue(tx: Transaction, connections: readonly RecordRef[]): Promise<void> {
  if (connections.length === 0) return;
  // Wait for the step that is running now. An operation that this step postpones then also becomes
  // due here. Later steps read the new settings.
  await tx.query({
    name: 'lock-queues-of-changed-connections',
    text: `select from connection_queues l join ${recordsetSql('tenant_id uuid, id uuid')}
             on l.tenant_id = r.tenant_id and l.connection_id = r.id order by l.connection_id for no key update of l`,
    values: [JSON.stringify(connections)],
  });
  await tx.query({
    name: 'make-postponed-operations-due',
    text: `with postponed as (
             select o.tenant_id, o.id from ${recordsetSql('tenant_id uuid, id uuid')} join outbound_operations o
               on o.tenant_id = r.tenant_id and o.connection_id = r.id and o.state = 'due' and o.last_error_kind = 'limit'
             where o.next_at > now() order by o.id for update of o)
           update outbound_operations o set next_at = now(), updated_at = now()
           from postponed p where o.tenant_id = p.tenant_id and o.id = p.id`,
    values: [JSON.stringify(connections)],
  });
}

/** Lets operations try again that may have waited for another record. Locks the rows by id. */
export async function makeWaitingDue(
  tx: Transaction,
  { tenant_id, connection_id }: { tenant_id: string; connection_id: string },
  { kind, localIds }: { kind: string; localIds: readonly string[] },
): Promise<void> {
  if (localIds.length === 0) return;
  await tx.query({
    name: 'make-waiting-operations-due',
    text: `with waiting as (
             select o.id from outbound_operations o
             where o.tenant_id = $1 and ${hasConnectionSql('o', '$2')} and o.kind = $3 and o.local_id = any($4::uuid[]) and o.state = 'due'
               and o.last_error_kind = 'limit' and o.next_at > now() order by o.id for update)
           update outbound_operations o set next_at = now(), updated_at = now() from waiting w where o.tenant_id = $1 and o.id = w.id`,
    values: [tenant_id, connection_id, kind, localIds],
  });
}

const MAX_REPLAYED = 10_000;

export interface ReplayedOperation {
  tenant_id: string;
  kind: string;
  local_id: string;
}

/**
 * Makes dead operations due again, and returns them. An operation that the vendor refused
 * gets a new idempotency key. Any other operation keeps its key, because the vendor may have
 * processed it.
 * @param filter selects one operation, or the operations that were created in a period. A period
 * excludes operations whose sync issue was resolved with `ignore` or `theirs`
 */
export async function replayOperations(
  tx: Transaction,
  ref: { tenantId: string; connectionId: string },
  { operationId = null, since = null, until = null }: OperationFilter,
): Promise<ReplayedOperation[]> {
  return tx.query<ReplayedOperation>({
    name: 'replay-outbound-operations',
    text: `update outbound_operations o set state = 'due', attempts = 0, next_at = now(), updated_at = now(),
             operation_key = case when o.last_error_kind = 'refused' then gen_random_uuid() else o.operation_key end,
             may_have_arrived = o.may_have_arrived and o.last_error_kind is distinct from 'refused',
             first_attempt_at = case when o.last_error_kind = 'refused' then null else o.first_attempt_at end
           where o.tenant_id = $1 and o.id in (
             select d.id from outbound_operations d where d.tenant_id = $1 and d.connection_id = $2 and d.state = 'dead'
               and ($3::uuid is null or d.id = $3) and ($4::timestamptz is null or d.created_at >= $4)
               and ($5::timestamptz is null or d.created_at < $5)
               and ($3::uuid is not null or not exists (
                 select from sync_issues i where i.tenant_id = $1 and i.operation_id = d.id and i.resolution in ('ignore', 'theirs')))
             order by d.id limit ${MAX_REPLAYED})
           returning o.tenant_id, o.kind, o.local_id`,
    values: [ref.tenantId, ref.connectionId, operationId, since, until],
  });
}

export interface OperationFilter {
  operationId?: string | null;
  since?: string | null;
  until?: string | null;
}
