import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/** The stream that reads the vendor's description of the account. Every connection has it. */
export const DESCRIBE_STREAM = 'describe';

export interface NewStream {
  tenant_id: string;
  connection_id: string;
  stream: string;
  every_seconds: number;
  is_due: boolean;
}

export async function insertStreams(tx: Transaction, streams: readonly NewStream[]): Promise<void> {
  await tx.query({
    name: 'insert-sync-states',
    text: `insert into sync_states (tenant_id, connection_id, stream, every_seconds, next_at)
           select tenant_id, connection_id, stream, every_seconds, case when is_due then now() end
           from ${recordsetSql('tenant_id uuid, connection_id uuid, stream text, every_seconds integer, is_due boolean')}`,
    values: [JSON.stringify(streams)],
  });
}

export interface DueStreams extends RecordRef {
  /** Null means all streams of the connection, except the description. */
  stream: string | null;
  /** If set, the pull reads again everything that changed since this time. */
  since?: string | null;
}

/** Makes streams due. A stream that does not exist is ignored. */
export async function makeStreamsDue(tx: Transaction, streams: readonly DueStreams[]): Promise<void> {
  if (streams.length === 0) return;
  await tx.query({
    name: 'make-streams-due',
    text: `update sync_states s set next_at = least(s.next_at, now()), since = coalesce(r.since, s.since)
           from ${recordsetSql('tenant_id uuid, id uuid, stream text, since timestamptz')}
           where s.tenant_id = r.tenant_id and s.connection_id = r.id
             and s.stream = coalesce(r.stream, s.stream) and (r.stream is not null or s.stream <> '${DESCRIBE_STREAM}')`,
    values: [JSON.stringify(streams)],
  });
}

export interface DueStream {
  stream: string;
  cursor: string | null;
  since: string | null;
  every_seconds: number;
  /**
   * When the stream became due. If the value differs after the pull, the stream was made due again
   * during the pull.
   */
  next_at: string;
}

/** Finds which stream of the connection has been due longest. */
export async function findDueStream(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  isOnlyDescribed: boolean,
): Promise<DueStream | undefined> {
  const [row] = await tx.query<DueStream>({
    name: 'find-due-stream',
    text: `select s.stream, s.cursor, to_json(s.since)#>>'{}' as since, s.every_seconds, s.next_at::text as next_at
           from sync_states s where s.tenant_id = $1 and s.connection_id = $2 and s.next_at <= now()
             and (not $3 or s.stream = '${DESCRIBE_STREAM}')
           order by s.next_at, s.stream limit 1`,
    values: [tenantId, connectionId, isOnlyDescribed],
  });
  return row;
}

export interface StreamProgress {
  stream: string;
  cursor: string | null;
  /** Milliseconds until the next pull; null if only a webhook or a client starts it. */
  inMs: number | null;
  /**
   * `next_at` at the start of the pull. If a webhook has changed `next_at` since then, the changed
   * value is kept.
   */
  startedFor: string;
}

/** Stores the cursor after a page, in the transaction that stores the page's commands. */
export function storeStreamProgress(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, cursor, inMs, startedFor }: StreamProgress,
): void {
  tx.queryAtCommit({
    name: 'store-stream-progress',
    text: `update sync_states s set cursor = $4, since = null,
             next_at = case when s.next_at <> $6::timestamptz then s.next_at else now() + $5::float8 * interval '1 ms' end
           where s.tenant_id = $1 and s.connection_id = $2 and s.stream = $3`,
    values: [tenantId, connectionId, stream, cursor, inMs, startedFor],
  });
}

/** Postpones a stream after a failed pull, and keeps its cursor. */
export function postponeStream(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, inMs }: { stream: string; inMs: number },
): void {
  tx.queryAtCommit({
    name: 'postpone-stream',
    text: `update sync_states s set next_at = now() + $4::float8 * interval '1 ms'
           where s.tenant_id = $1 and s.connection_id = $2 and s.stream = $3`,
    values: [tenantId, connectionId, stream, inMs],
  });
}

/** One page of a pull, or one description. */
export interface SyncRun extends RecordRef {
  connection_id: string;
  stream: string;
  state: 'succeeded' | 'failed';
  changes: number;
  dropped: number;
  error: string | null;
  started_at: string;
}

/**
 * Stores a sync run. Callers store only runs that changed something or failed, and descriptions.
 */
export function insertRun(tx: Transaction, run: SyncRun): void {
  const columns = `tenant_id uuid, id uuid, connection_id uuid, stream text, state text, changes integer, dropped integer, error text,
    started_at timestamptz`;
  const names = 'tenant_id, id, connection_id, stream, state, changes, dropped, error, started_at';
  tx.queryAtCommit({
    name: 'insert-sync-run',
    text: `insert into sync_runs (${names}, ended_at) select ${names}, now() from ${recordsetSql(columns)}`,
    values: [JSON.stringify([run])],
  });
}
