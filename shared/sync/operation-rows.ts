import { newId } from '../platform/ids.js';
import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/**
 * An outbound operation to store. The command that changes the record stores the operation in its
 * own transaction.
 */
export interface NewOperation {
  tenant_id: string;
  connection_id: string;
  /** The record's kind, such as `message`. */
  kind: string;
  local_id: string;
  verb: string;
}

/**
 * Stores outbound operations. Deletes each earlier operation for the same record and verb that no
 * worker has attempted, because the new operation replaces it.
 */
export async function insertOperations(tx: Transaction, operations: readonly NewOperation[]): Promise<void> {
  if (operations.length === 0) return;
  const rows = operations.map((operation) => ({ ...operation, id: newId(), operation_key: newId() }));
  const columns = `tenant_id uuid, id uuid, connection_id uuid, kind text, local_id uuid, verb text, operation_key uuid`;
  const names = 'tenant_id, id, connection_id, kind, local_id, verb, operation_key';
  await tx.query({
    name: 'insert-outbound-operations',
    text: `with outdated as (
             delete from outbound_operations o using ${recordsetSql(columns)}
             where o.tenant_id = r.tenant_id and o.connection_id = r.connection_id and o.kind = r.kind and o.local_id = r.local_id
               and o.verb = r.verb and o.state in ('due', 'waiting') and o.attempts = 0)
           insert into outbound_operations (${names}) select ${names} from ${recordsetSql(columns, 'n')}`,
    values: [JSON.stringify(rows)],
  });
}

export interface StartedOperation extends RecordRef {
  connection_id: string;
  kind: string;
  local_id: string;
  verb: string;
  operation_key: string;
  /** How many attempts were started, including this one. */
  attempts: number;
  may_have_arrived: boolean;
  /** RFC 3339 time. */
  created_at: string;
}

/**
 * Starts one of the connection's due operations: the one that has been due longest. The operations
 * of one record run in the sequence of their creation. An operation that is still `doing` belonged
 * to a worker that died, so its write may have arrived.
 */
export async function startNextOperation(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<StartedOperation | undefined> {
  const [row] = await tx.query<StartedOperation>({
    name: 'start-outbound-operation',
    text: `with next as (
             select o.id, o.state from outbound_operations o
             where o.tenant_id = $1 and o.connection_id = $2 and o.next_at <= now() and o.state in ('due', 'doing')
               and not exists (
                 select from outbound_operations e where e.tenant_id = $1 and e.connection_id = $2 and e.kind = o.kind
                   and e.local_id = o.local_id and e.id < o.id and e.next_at is not null)
             order by o.next_at, o.id limit 1 for update of o)
           update outbound_operations o set state = 'doing', attempts = o.attempts + 1, updated_at = now(),
             may_have_arrived = o.may_have_arrived or next.state = 'doing'
           from next where o.tenant_id = $1 and o.id = next.id
           returning o.tenant_id, o.id, o.connection_id, o.kind, o.local_id, o.verb, o.operation_key, o.attempts, o.may_have_arrived,
             to_json(o.created_at)#>>'{}' as created_at`,
    values: [tenantId, connectionId],
  });
  return row;
}

export type OperationResult =
  | { state: 'done' }
  | { state: 'dead'; error: string; errorKind: string }
  | {
      state: 'due';
      error: string;
      errorKind: string;
      retryInMs: number;
      mayHaveArrived: boolean;
      /** False if the vendor did not process the attempt. Such an attempt does not count. */
      isCounted: boolean;
    };

/** Stores how an attempt ended, unless a worker has started the operation again since. */
export function storeOperationResult(
  tx: Transaction,
  { tenant_id, id, attempts }: StartedOperation,
  result: OperationResult,
): void {
  const isDue = result.state === 'due';
  tx.queryAtCommit({
    name: 'store-operation-result',
    text: `update outbound_operations o set state = $4, last_error = $5, last_error_kind = $6, updated_at = now(),
             next_at = now() + $7::float8 * interval '1 ms', may_have_arrived = coalesce($8, o.may_have_arrived),
             attempts = o.attempts - case when $9 then 0 else 1 end
           where o.tenant_id = $1 and o.id = $2 and o.attempts = $3 and o.state = 'doing'`,
    values: [
      tenant_id,
      id,
      attempts,
      result.state,
      result.state === 'done' ? null : result.error,
      result.state === 'done' ? null : result.errorKind,
      isDue ? result.retryInMs : null,
      isDue ? result.mayHaveArrived : null,
      !isDue || result.isCounted,
    ],
  });
}

const MAX_REPLAYED = 10_000;

/**
 * Makes dead operations due again, and returns their number. Each keeps its idempotency key,
 * because the vendor may have processed the write. Only an operation that the vendor refused gets a
 * new key, because the vendor certainly did not process it.
 * @param filter names the operation, or the period in which the operations were created
 */
export async function replayOperations(
  tx: Transaction,
  ref: { tenantId: string; connectionId: string },
  { operationId = null, since = null, until = null }: OperationFilter,
): Promise<number> {
  const rows = await tx.query({
    name: 'replay-outbound-operations',
    text: `update outbound_operations o set state = 'due', attempts = 0, next_at = now(), updated_at = now(),
             operation_key = case when o.last_error_kind = 'refused' then gen_random_uuid() else o.operation_key end
           where o.tenant_id = $1 and o.id in (
             select d.id from outbound_operations d where d.tenant_id = $1 and d.connection_id = $2 and d.state = 'dead'
               and ($3::uuid is null or d.id = $3) and ($4::timestamptz is null or d.created_at >= $4)
               and ($5::timestamptz is null or d.created_at < $5)
             order by d.id limit ${MAX_REPLAYED})
           returning o.id`,
    values: [ref.tenantId, ref.connectionId, operationId, since, until],
  });
  return rows.length;
}

export interface OperationFilter {
  operationId?: string | null;
  since?: string | null;
  until?: string | null;
}
