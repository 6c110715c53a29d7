import type { Transaction } from '../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../records/lock-records.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

/** The reasons why a person must decide about a record that exists both here and at a vendor. */
export const ISSUE_KINDS = ['refused', 'exhausted', 'conflict', 'gone', 'difference'] as const;
export type IssueKind = (typeof ISSUE_KINDS)[number];

export interface NewIssue extends RecordRef {
  connection_id: string;
  kind: IssueKind;
  operation_id: string | null;
  record_kind: string;
  /** Null if only the vendor has the record. */
  record_id: string | null;
  message: string;
  ours: object | null;
  theirs: object | null;
  /** The vendor's id of the record that the issue is about, if the kind of the issue needs it. */
  external_id: string | null;
}

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, kind text, operation_id uuid, record_kind text, record_id uuid, message text,
  ours jsonb, theirs jsonb, external_id text`;
const NAMES =
  'tenant_id, id, connection_id, kind, operation_id, record_kind, record_id, message, ours, theirs, external_id';

export async function insertIssues(tx: Transaction, issues: readonly NewIssue[]): Promise<void> {
  await tx.query({
    name: 'insert-sync-issues',
    text: `insert into sync_issues (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(issues)],
  });
}

export function findConnectionsOfIssues(tx: Transaction, issues: readonly RecordRef[]): Promise<RecordRef[]> {
  return tx.query<RecordRef>({
    name: 'find-connections-of-issues',
    text: `select distinct i.tenant_id, i.connection_id as id from ${recordsetSql('tenant_id uuid, id uuid')}
           join sync_issues i on i.tenant_id = r.tenant_id and i.id = r.id`,
    values: [JSON.stringify(issues)],
  });
}

export interface IssueDecision extends RecordRef {
  resolution: string;
  note: string | null;
  decided_by: string | null;
}

export async function resolveIssues(tx: Transaction, decisions: readonly IssueDecision[]): Promise<void> {
  if (decisions.length === 0) return;
  await tx.query({
    name: 'resolve-sync-issues',
    text: `update sync_issues t set status = 'resolved', resolution = r.resolution, note = r.note, decided_by = r.decided_by,
             decided_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, resolution text, note text, decided_by text')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(decisions)],
  });
}

/** Resolves the open issues of operations that are due again. */
export async function resolveReplayedIssues(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  decidedBy: string | null,
): Promise<void> {
  await tx.query({
    name: 'resolve-replayed-issues',
    text: `update sync_issues t set status = 'resolved', resolution = 'retry', decided_by = $3, decided_at = now(),
             updated_at = ${nextUpdatedAtSql('t')}
           from outbound_operations o
           where t.tenant_id = $1 and t.connection_id = $2 and t.status = 'open'
             and o.tenant_id = t.tenant_id and o.id = t.operation_id and o.next_at is not null`,
    values: [tenantId, connectionId, decidedBy],
  });
}
