import { LOWEST_ID } from '../platform/ids.js';
import type { Database, Transaction } from '../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import type { NewIssue } from './issue-rows.js';

interface Ref {
  tenantId: string;
  connectionId: string;
}

/** An issue about one record that differs here and at the vendor. */
export interface NewDifference extends NewIssue {
  /** The vendor's id of the record. */
  external_id: string;
  /**
   * Identifies the two versions of the record. If the digest changes, the difference counts as a
   * new one.
   */
  digest: string;
}

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, kind text, record_kind text, record_id uuid, message text, ours jsonb,
  theirs jsonb, external_id text, digest text`;
const NAMES =
  'tenant_id, id, connection_id, kind, record_kind, record_id, message, ours, theirs, external_id, digest';

/**
 * Opens differences, or updates both versions of the record in open ones. Skips a difference whose
 * record has another open difference, or whose issue was resolved in the meantime.
 * @returns the stored differences
 */
export async function storeDifferences(
  tx: Transaction,
  differences: readonly NewDifference[],
): Promise<(RecordRef & { is_new: boolean })[]> {
  if (differences.length === 0) return [];
  return tx.query({
    name: 'store-differences',
    text: `insert into sync_issues as t (${NAMES}, seen_at) select ${NAMES}, now() from ${recordsetSql(COLUMNS)}
           where not exists (select from sync_issues i where i.tenant_id = r.tenant_id and i.connection_id = r.connection_id
             and i.record_kind = r.record_kind and i.external_id = r.external_id and i.kind = 'difference' and i.status = 'open'
             and i.id <> r.id)
           on conflict (tenant_id, id) do update set message = excluded.message, ours = excluded.ours, theirs = excluded.theirs,
             digest = excluded.digest, record_id = excluded.record_id, seen_at = now(), updated_at = ${nextUpdatedAtSql('t')}
             where t.status = 'open'
           returning t.tenant_id, t.id, t.xmax = 0 as is_new`,
    values: [JSON.stringify(differences)],
  });
}

/**
 * Resolves open differences that no longer exist.
 * @returns the differences that were still open
 */
export async function closeDifferences(
  tx: Transaction,
  closings: readonly (RecordRef & { note: string })[],
): Promise<RecordRef[]> {
  return tx.query<RecordRef>({
    name: 'close-differences',
    text: `update sync_issues t set status = 'resolved', note = r.note, decided_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, note text')}
           where t.tenant_id = r.tenant_id and t.id = r.id and t.status = 'open' and t.kind = 'difference'
           returning t.tenant_id, t.id`,
    values: [JSON.stringify(closings)],
  });
}

export interface KnownDifference {
  id: string;
  external_id: string;
  digest: string;
  /** False if a person has decided to ignore the difference. */
  is_open: boolean;
}

/** Finds the open differences of these records, and the differences that a person has ignored. */
export async function findDifferences(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): Promise<KnownDifference[]> {
  return tx.query<KnownDifference>({
    name: 'find-differences',
    text: `select i.id, i.external_id, i.digest, i.status = 'open' as is_open from sync_issues i
           where i.tenant_id = $1 and i.connection_id = $2 and i.kind = 'difference' and i.record_kind = $3
             and i.external_id = any($4::text[]) and (i.status = 'open' or i.resolution = 'ignore')`,
    values: [tenantId, connectionId, kind, externalIds],
  });
}

/**
 * Finds the open differences of our records, whatever their ids at the vendor. Includes those of
 * earlier connections to the same account.
 */
export async function findDifferencesOfRecords(
  tx: Transaction,
  { tenantId, connectionId, earlierIds }: Ref & { earlierIds: readonly string[] },
  { kind, localIds }: { kind: string; localIds: readonly string[] },
): Promise<{ id: string; record_id: string; external_id: string }[]> {
  return tx.query({
    name: 'find-differences-of-records',
    text: `select i.id, i.record_id, i.external_id from sync_issues i
           where i.tenant_id = $1 and i.connection_id = any($2::uuid[]) and i.kind = 'difference' and i.record_kind = $3
             and i.record_id = any($4::uuid[]) and i.status = 'open'`,
    values: [tenantId, [connectionId, ...earlierIds], kind, localIds],
  });
}

/** True if the record has an open difference, or one that a person has ignored. */
export async function isDifferent(
  db: Database,
  { tenant_id, connection_id, kind }: { tenant_id: string; connection_id: string; kind: string },
  externalId: string,
): Promise<boolean> {
  const rows = await db.read(tenant_id, {
    name: 'is-different',
    text: `select from sync_issues i where i.tenant_id = $1 and i.connection_id = $2 and i.kind = 'difference' and i.record_kind = $3
             and i.external_id = $4 and (i.status = 'open' or i.resolution = 'ignore') limit 1`,
    values: [tenant_id, connection_id, kind, externalId],
  });
  return rows.length > 0;
}

export async function countOpenDifferences(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>({
    name: 'count-open-differences',
    text: `select count(*)::int as count from sync_issues i
           where i.tenant_id = $1 and i.connection_id = $2 and i.kind = 'difference' and i.status = 'open'`,
    values: [tenantId, connectionId],
  });
  return row?.count ?? 0;
}

/** Records that the comparison has checked the differences of these records. */
export function markDifferencesSeen(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { kind, externalIds }: { kind: string; externalIds: readonly string[] },
): void {
  tx.queryAtCommit({
    name: 'mark-differences-seen',
    text: `update sync_issues i set seen_at = now()
           where i.tenant_id = $1 and i.connection_id = $2 and i.kind = 'difference' and i.record_kind = $3
             and i.external_id = any($4::text[])`,
    values: [tenantId, connectionId, kind, externalIds],
  });
}

/**
 * Finds differences that the current comparison has not checked yet: open differences, and those
 * that a person wants to be compared again.
 */
export async function findUnseenDifferences(
  db: Database,
  { tenantId, connectionId }: Ref,
  { kind, startedAt, after, limit }: { kind: string; startedAt: string; after: string | null; limit: number },
): Promise<{ key: string; externalId: string }[]> {
  return db.read(tenantId, {
    name: 'find-unseen-differences',
    text: `select i.id as key, i.external_id as "externalId" from sync_issues i
           where i.tenant_id = $1 and i.connection_id = $2 and i.kind = 'difference' and i.record_kind = $3
             and i.seen_at < $4 and (i.status = 'open' or i.resolution = 'retry' and i.decided_at > i.seen_at)
             and i.id > $5
           order by i.id limit $6`,
    values: [tenantId, connectionId, kind, startedAt, after ?? LOWEST_ID, limit],
  });
}
