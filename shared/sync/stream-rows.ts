import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/**
 * The stream that reads the vendor's description of the account. Every connection has this stream.
 */
export const DESCRIBE_STREAM = 'describe';

/** The nightly sweep of the books; its name at the vendors' manifests is `SWEEP_STREAM`. */
const SWEEP_STREAM = 'books_sweep';

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

/**
 * Stores the streams that the vendor offers but the connection lacks, because a new version has
 * added them. The new streams become due only later. During a release, workers of the previous
 * version may still run, and do not know these streams.
 */
export async function addMissingStreams(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  streams: Readonly<Record<string, number>>,
): Promise<void> {
  await tx.query({
    name: 'add-missing-streams',
    text: `insert into sync_states (tenant_id, connection_id, stream, every_seconds, next_at)
           select $1, $2, s.stream, s.seconds::integer, now() + interval '15 minutes' from jsonb_each_text($3::jsonb) as s(stream, seconds)
           on conflict do nothing`,
    values: [tenantId, connectionId, JSON.stringify(streams)],
  });
}

export interface DueStreams extends RecordRef {
  /**
   * Null means all streams of the connection except {@link DESCRIBE_STREAM} and the sweep of the
   * books, which repeats what the others read.
   */
  stream: string | null;
  /** If set, the pull reads again everything that changed since this time. */
  since?: string | null;
}

/**
 * Makes streams due, and increases `requests`. A running pull may already have read its page when
 * the stream becomes due. At its end, this pull finds that `requests` has grown, and leaves the
 * stream due. If there are several `since` times, the earliest is stored. Ignores streams that do
 * not exist.
 */
export async function makeStreamsDue(tx: Transaction, streams: readonly DueStreams[]): Promise<void> {
  if (streams.length === 0) return;
  await tx.query({
    name: 'make-streams-due',
    text: `update sync_states s set next_at = least(s.next_at, now()), since = least(r.since, s.since), requests = s.requests + r.requests
           from (select s.tenant_id, s.connection_id, s.stream, min(r.since) as since, count(*) as requests
                 from ${recordsetSql('tenant_id uuid, id uuid, stream text, since timestamptz')}
                 join sync_states s on s.tenant_id = r.tenant_id and s.connection_id = r.id and s.stream = coalesce(r.stream, s.stream)
                 where r.stream is not null or s.stream not in ('${DESCRIBE_STREAM}', '${SWEEP_STREAM}') group by 1, 2, 3) r
           where s.tenant_id = r.tenant_id and s.connection_id = r.connection_id and s.stream = r.stream`,
    values: [JSON.stringify(streams)],
  });
}

export interface DueStream {
  stream: string;
  cursor: string | null;
  since: string | null;
  every_seconds: number;
  /**
   * Counts how often the stream was made due. A higher value after a pull means that the stream was
   * made due again during the pull.
   */
  requests: number;
}

/**
 * Finds the connection's stream that has been due longest.
 * @param isOnlyDescribed true if only the vendor's description of the account may be read
 */
export async function findDueStream(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  isOnlyDescribed: boolean,
): Promise<DueStream | undefined> {
  const [row] = await tx.query<DueStream>({
    name: 'find-due-stream',
    text: `select s.stream, s.cursor, to_json(s.since)#>>'{}' as since, s.every_seconds, s.requests
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
  /** Milliseconds until the next pull; null if the next pull waits for a webhook or a client. */
  inMs: number | null;
  /** `requests` at the start of the pull. If the stored number has grown, the stream stays due. */
  requests: number;
}

/**
 * Stores the cursor after a page, in the transaction that stores the page's commands. If the stream
 * was made due again during the pull, keeps the stream due, and keeps the stored `since`.
 */
export function storeStreamProgress(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, cursor, inMs, requests }: StreamProgress,
): void {
  tx.queryAtCommit({
    name: 'store-stream-progress',
    text: `update sync_states s set cursor = $4, since = case when s.requests <> $6 then s.since end,
             next_at = case when s.requests <> $6 then s.next_at else now() + $5::float8 * interval '1 ms' end
           where s.tenant_id = $1 and s.connection_id = $2 and s.stream = $3`,
    values: [tenantId, connectionId, stream, cursor, inMs, requests],
  });
}

/**
 * Postpones a stream after a failed pull, and keeps its cursor. Does nothing if the stream was made
 * due again during the pull.
 */
export function postponeStream(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, inMs, requests }: { stream: string; inMs: number; requests: number },
): void {
  tx.queryAtCommit({
    name: 'postpone-stream',
    text: `update sync_states s set next_at = now() + $4::float8 * interval '1 ms'
           where s.tenant_id = $1 and s.connection_id = $2 and s.stream = $3 and s.requests = $5`,
    values: [tenantId, connectionId, stream, inMs, requests],
  });
}

/** The record of one page of a pull, or of one read of the account's description. */
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
 * Stores a sync run. Callers store only runs that changed something, runs that failed, and reads of
 * the account's description.
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
