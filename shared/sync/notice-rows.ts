import type { Database, Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';

export interface InboundNoticeRow {
  tenant_id: string;
  connection_id: string;
  dedupe_id: string;
  stream: string;
  /** Names the record to read. Null or absent if the item only says that the stream has changes. */
  hint?: string | null;
}

/**
 * Stores the items of webhooks. Returns only the items that were not stored before. Inserts them in
 * the sequence of their ids. Otherwise two transactions that insert the same items could deadlock.
 */
export async function insertInboundNotices(
  tx: Transaction,
  notices: readonly InboundNoticeRow[],
): Promise<InboundNoticeRow[]> {
  if (notices.length === 0) return [];
  return tx.query<InboundNoticeRow>({
    name: 'insert-inbound-notices',
    text: `insert into inbound_notices (tenant_id, connection_id, dedupe_id, stream, hint, is_waiting)
           select tenant_id, connection_id, dedupe_id, stream, hint, hint is not null
           from ${recordsetSql('tenant_id uuid, connection_id uuid, dedupe_id text, stream text, hint text')}
           order by tenant_id, connection_id, dedupe_id
           on conflict do nothing returning tenant_id, connection_id, dedupe_id, stream, hint`,
    values: [JSON.stringify(notices)],
  });
}

/**
 * Lets the worker read records again later, however often it has read them already. There is one
 * item for each record.
 */
export async function readLater(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, hints, inMs }: { stream: string; hints: readonly string[]; inMs: number },
): Promise<void> {
  if (hints.length === 0) return;
  await tx.query({
    name: 'read-later',
    text: `insert into inbound_notices as n (tenant_id, connection_id, dedupe_id, stream, hint, is_waiting, due_at)
           select $1, $2, '${LATER}' || $3 || '/' || h.hint, $3, h.hint, true, now() + $5::float8 * interval '1 ms'
           from (select distinct unnest($4::text[]) as hint) h order by 3
           on conflict (tenant_id, connection_id, dedupe_id) do update set is_waiting = true, attempts = 0, due_at = excluded.due_at,
             received_at = now()`,
    values: [tenantId, connectionId, stream, hints, inMs],
  });
}

const LATER = 'later/';

/** True for an item of {@link readLater}. */
export function isReadLater(dedupeId: string): boolean {
  return dedupeId.startsWith(LATER);
}

/** A webhook item that names a record. */
export interface NamedItem {
  dedupeId: string;
  hint: string;
  receivedAt: Date;
}

/** Webhook items that name records of one stream. A worker is about to read these records. */
export interface WaitingNotices {
  stream: string;
  items: readonly NamedItem[];
}

const MAX_READ = 50;
/**
 * Maximum number of reads for one item, over about nine hours. After that, only the regular pull of
 * the stream can find the change.
 */
const MAX_ATTEMPTS = 45;

/**
 * Finds the webhook items of one stream whose records must be read, oldest first. Counts the read,
 * and makes the items due again later, in case the worker dies or the read fails. After a failed
 * read, the items are read one by one, so that one bad item does not delay the others.
 */
export async function startWaitingNotices(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<WaitingNotices | undefined> {
  const rows = await tx.query<{ stream: string; dedupe_id: string; hint: string; received_at: Date }>({
    name: 'start-waiting-notices',
    text: `with due as (
             select n.stream, n.attempts, n.received_at, n.dedupe_id from inbound_notices n
             where n.tenant_id = $1 and n.connection_id = $2 and n.is_waiting and n.due_at <= now()),
           first as (select d.stream, d.attempts from due d order by d.attempts, d.received_at limit 1),
           chosen as (
             select d.dedupe_id from due d join first f on d.stream = f.stream and d.attempts = f.attempts
             order by d.received_at limit (select case when f.attempts > 0 then 1 else ${MAX_READ} end from first f))
           update inbound_notices n set attempts = n.attempts + 1, is_waiting = n.attempts + 1 < ${MAX_ATTEMPTS},
             due_at = now() + interval '1 second' * least(power(2, n.attempts), 900)
           from chosen c where n.tenant_id = $1 and n.connection_id = $2 and n.dedupe_id = c.dedupe_id
           returning n.stream, n.dedupe_id, n.hint, n.received_at`,
    values: [tenantId, connectionId],
  });
  const [first] = rows;
  if (!first) return undefined;
  return {
    stream: first.stream,
    items: rows.map(({ dedupe_id: dedupeId, hint, received_at: receivedAt }) => ({
      dedupeId,
      hint,
      receivedAt,
    })),
  };
}

/** Marks items whose records were read, or no longer need to be read. */
export function endNotices(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  items: WaitingNotices['items'],
): void {
  tx.queryAtCommit({
    name: 'end-notices',
    text: `update inbound_notices n set is_waiting = false
           where n.tenant_id = $1 and n.connection_id = $2 and n.dedupe_id = any($3::text[])`,
    values: [tenantId, connectionId, items.map(({ dedupeId }) => dedupeId)],
  });
}

/**
 * Finds webhook items that have used all their reads, but whose record is still not stored. Returns
 * the vendor's ids of the records, sorted by `dedupeId`.
 */
export async function findGivenUpNotices(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { stream, kind, after, limit }: { stream: string; kind: string; after: string | null; limit: number },
): Promise<{ key: string; externalId: string }[]> {
  return db.read(tenantId, {
    name: 'find-given-up-notices',
    text: `select n.dedupe_id as key, n.hint as "externalId" from inbound_notices n
           where n.tenant_id = $1 and n.connection_id = $2 and n.stream = $3 and not n.is_waiting and n.attempts >= ${MAX_ATTEMPTS}
             and n.hint is not null and n.dedupe_id > $5
             and not exists (select from external_ids x where x.tenant_id = n.tenant_id and x.connection_id = n.connection_id
               and x.kind = $4 and x.external_id = n.hint)
           order by n.dedupe_id limit $6`,
    values: [tenantId, connectionId, stream, kind, after ?? '', limit],
  });
}
