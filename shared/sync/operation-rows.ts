import { newId } from '../platform/ids.js';
import type { Database, Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../records/record-refs.js';

/**
 * An outbound operation to store. The command that changes the record stores the operation in the
 * same transaction.
 */
export interface NewOperation {
  tenant_id: string;
  connection_id: string;
  /** The record's kind, such as `message`. */
  kind: string;
  local_id: string;
  verb: string;
  /** True if the vendor must process the operation only once, however often a person repeats it. */
  is_creation: boolean;
}

/**
 * SQL condition on operations `o`: it is unknown whether the vendor has processed the operation.
 */
export const IS_UNKNOWN_SQL = `(o.may_have_arrived or o.state = 'doing') and o.state <> 'done' and o.last_error_kind is distinct from 'refused'`;

/** SQL condition on operations `o`: a new operation for the same record and verb replaces it. */
const IS_REPLACEABLE_SQL = `o.state in ('due', 'waiting') and not o.may_have_arrived`;

const NEW_COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, kind text, local_id uuid, verb text, operation_key uuid, is_creation boolean`;

/**
 * Returns an SQL condition for queries that find the operations of a record. No index can serve it,
 * so PostgreSQL searches by the record. By an equality, PostgreSQL may read all operations of the
 * connection for each record until the table has statistics (measured: more than 5 s for a request
 * that books 5,000 invoices after 5,000 others).
 */
export const hasConnectionSql = (operation: string, connectionId: string) =>
  `${operation}.connection_id is not distinct from ${connectionId}`;

const isSameSql = (
  alias: string,
) => `o.tenant_id = ${alias}.tenant_id and ${hasConnectionSql('o', `${alias}.connection_id`)}
               and o.kind = ${alias}.kind and o.local_id = ${alias}.local_id and o.verb = ${alias}.verb`;

/**
 * Stores outbound operations. Each one replaces an earlier operation for the same record and verb
 * that waits for an attempt and cannot have arrived at the vendor.
 *
 * If an earlier creation has an unknown outcome, the earlier creation becomes due again with its
 * idempotency key, and the new operation is not stored. If the earlier creation is running now, the
 * new operation is stored with the earlier key. The vendor then recognizes the repetition.
 *
 * Locks the replaced operations in id order, so that two batches cannot deadlock.
 */
export async function insertOperations(tx: Transaction, operations: readonly NewOperation[]): Promise<void> {
  if (operations.length === 0) return;
  const rows = operations.map((operation) => ({ ...operation, id: newId(), operation_key: newId() }));
  await tx.query({
    name: 'insert-outbound-operations',
    text: `with last as (
             select distinct on (r.id) r.id as new_id, o.* from ${recordsetSql(NEW_COLUMNS)}
             join outbound_operations o on ${isSameSql('r')} where r.is_creation order by r.id, o.id desc),
           repeated as (
             update outbound_operations t set state = 'due', attempts = 0, next_at = now(), updated_at = now()
             from last o where t.tenant_id = o.tenant_id and t.id = o.id and t.state <> 'doing' and ${IS_UNKNOWN_SQL}
             returning o.new_id),
           found as materialized (
             select o.tenant_id, o.id from ${recordsetSql(NEW_COLUMNS)} cross join lateral (
               select o.tenant_id, o.id from outbound_operations o where ${isSameSql('r')} and ${IS_REPLACEABLE_SQL} offset 0) o
             order by o.id),
           outdated as (
             select l.tenant_id, l.id from found f cross join lateral (
               select o.tenant_id, o.id from outbound_operations o
               where o.tenant_id = f.tenant_id and o.id = f.id and ${IS_REPLACEABLE_SQL} for update) l),
           deleted as (
             delete from outbound_operations o using outdated d where o.tenant_id = d.tenant_id and o.id = d.id)
           insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, may_have_arrived,
             first_attempt_at)
           select n.tenant_id, n.id, n.connection_id, n.kind, n.local_id, n.verb, coalesce(o.operation_key, n.operation_key),
             o.id is not null, o.first_attempt_at
           from ${recordsetSql(NEW_COLUMNS, 'n')} left join last o on o.new_id = n.id and o.state = 'doing'
           where not exists (select from repeated p where p.new_id = n.id)`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Finds the records whose last write may have arrived at the vendor. A retry must use the same
 * connection and content, because vendors refuse other content under the same idempotency key.
 * @returns the `refKey` of each record
 */
export async function findUnknownWrites(
  tx: Transaction,
  records: readonly (RecordRef & { connection_id: string | null })[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set();
  const rows = await tx.query<RecordRef>({
    name: 'find-unknown-writes',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid, connection_id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.connection_id and c.status <> 'revoked'
           cross join lateral (
             select * from outbound_operations o where o.tenant_id = r.tenant_id and ${hasConnectionSql('o', 'r.connection_id')}
               and o.local_id = r.id order by o.id desc limit 1) o
           where ${IS_UNKNOWN_SQL}`,
    values: [
      JSON.stringify(records.map(({ tenant_id, id, connection_id }) => ({ tenant_id, id, connection_id }))),
    ],
  });
  return new Set(rows.map(refKey));
}

export interface StartedOperation extends RecordRef {
  connection_id: string;
  kind: string;
  local_id: string;
  verb: string;
  operation_key: string;
  /** Number of started attempts, including this one. */
  attempts: number;
  may_have_arrived: boolean;
  /** RFC 3339 time of the first attempt with this `operation_key`. */
  first_attempt_at: string;
  created_at: string;
}

/**
 * SQL condition on operations `o`: the operation may start, because all earlier operations of the
 * same record have ended.
 */
export const IS_NEXT_OF_RECORD_SQL = `o.state in ('due', 'doing') and not exists (
  select from outbound_operations e where e.tenant_id = o.tenant_id and ${hasConnectionSql('e', 'o.connection_id')} and e.kind = o.kind
    and e.local_id = o.local_id and e.id < o.id and e.next_at is not null)`;

/**
 * The rule for which operations may start. `isEnding` is true if the connection was disconnected.
 * Its operations then do not wait for the time of their next attempt.
 */
export interface StartRule {
  kinds: readonly string[];
  isEnding: boolean;
  /** Of these kinds, `max` operations may start together. Of any other kind, only one may start. */
  together?: { kinds: readonly string[]; max: number };
}

/**
 * SQL condition on operations `o`: others of the kind of the first one may start with it. Excludes
 * the first one, which may have been updated before PostgreSQL looks for the others.
 */
const IS_OTHER_SQL = `(select f.kind = any($5::text[]) from first f) and o.id <> (select f.id from first f)`;

/** Returns SQL that locks the connection's operations that have been due longest. */
const selectDueSql = (condition: string, limit: string) => `
  select o.id, o.state, o.kind from outbound_operations o
  where ${condition} and o.tenant_id = $1 and o.connection_id = $2 and o.kind = any($3::text[])
    and (o.next_at <= now() or ($4 and o.next_at is not null)) and ${IS_NEXT_OF_RECORD_SQL}
  order by o.next_at, o.id limit ${limit} for update of o`;

/**
 * Starts the connection's operation that has been due longest, with others of its kind if
 * `together` allows it. Operations of the same record run in the order of their creation. An
 * operation that is still `doing` belonged to a worker that died, so its write may have arrived.
 * @returns the operations in the order of their creation
 */
export async function startNextOperations(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { kinds, isEnding, together = { kinds: [], max: 1 } }: StartRule,
): Promise<StartedOperation[]> {
  const started = await tx.query<StartedOperation>({
    name: 'start-outbound-operations',
    text: `with first as (${selectDueSql('true', '1')}),
           next as materialized (
             select f.id, f.state from first f
             union all
             select d.id, d.state from (${selectDueSql(IS_OTHER_SQL, '$6::int - 1')}) d join first f on d.kind = f.kind)
           update outbound_operations o set state = 'doing', attempts = o.attempts + 1, updated_at = now(),
             may_have_arrived = o.may_have_arrived or next.state = 'doing',
             unanswered_at = case when next.state = 'doing' then now() else o.unanswered_at end, first_attempt_at = coalesce(o.first_attempt_at, now())
           from next where o.tenant_id = $1 and o.id = next.id
           returning o.tenant_id, o.id, o.connection_id, o.kind, o.local_id, o.verb, o.operation_key, o.attempts, o.may_have_arrived,
             to_json(o.first_attempt_at)#>>'{}' as first_attempt_at, to_json(o.created_at)#>>'{}' as created_at`,
    values: [tenantId, connectionId, kinds, isEnding, together.kinds, together.max],
  });
  return started.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export type OperationResult =
  | { state: 'done' }
  | { state: 'dead'; error: string; errorKind: string; mayHaveArrived: boolean }
  | {
      state: 'due';
      error: string;
      errorKind: string;
      retryInMs: number;
      mayHaveArrived: boolean;
      /** False if the vendor did not process the attempt. Such an attempt does not count. */
      isCounted: boolean;
    };

/** Stores an attempt's result, unless a worker has already started the next attempt. */
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
             attempts = o.attempts - case when $9 then 0 else 1 end,
             unanswered_at = case when $10 then now() else o.unanswered_at end
           where o.tenant_id = $1 and o.id = $2 and o.attempts = $3 and o.state = 'doing'`,
    values: [
      tenant_id,
      id,
      attempts,
      result.state,
      result.state === 'done' ? null : result.error,
      result.state === 'done' ? null : result.errorKind,
      isDue ? result.retryInMs : null,
      result.state === 'done' ? null : result.mayHaveArrived,
      !isDue || result.isCounted,
      result.state !== 'done' && result.errorKind === 'unknown_outcome',
    ],
  });
}

/**
 * Returns the time since a write of a record last got no usable answer, in ms. Returns null if all
 * its writes were answered, or the lost one was found at the vendor.
 */
export async function readUnansweredMs(
  db: Database,
  {
    tenant_id,
    connection_id,
    kind,
    local_id,
  }: Pick<StartedOperation, 'tenant_id' | 'connection_id' | 'kind' | 'local_id'>,
  verb: string,
): Promise<number | null> {
  const [row] = await db.read<{ ms: number | null }>(tenant_id, {
    name: 'read-unanswered-time',
    text: `select (extract(epoch from now() - max(o.unanswered_at)) * 1000)::float8 as ms from outbound_operations o
           where o.tenant_id = $1 and ${hasConnectionSql('o', '$2')} and o.kind = $3 and o.local_id = $4 and o.verb = $5 and o.state <> 'done'`,
    values: [tenant_id, connection_id, kind, local_id, verb],
  });
  return row?.ms ?? null;
}
