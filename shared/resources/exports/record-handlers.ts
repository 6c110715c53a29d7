import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import type { ExportAction } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import type { ExportFailure, ExportResult } from './commands.js';
import { type ExportRow, setFinalStatus } from './export-rows.js';
import { MAX_EXPORT_TRIES } from './limits.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

/**
 * Records completed exports. Ignores the result of an export that was cancelled, or that another
 * worker has taken over. The exports worker later deletes the object of an ignored result.
 */
export async function recordExportsCompleted(
  tx: Transaction,
  commands: Command<ExportResult>[],
  { exportRetentionDays }: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ExportRow>(tx, 'exports', commands.map(toRecordRef));
  const completed: object[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('export');
    const { attempt, ...result } = command.input;
    if (row.status !== 'running' || row.attempts !== attempt) return UNCHANGED;
    completed.push({ ...toRecordRef(command), ...result });
    const { rows: count, bytes, sha256 } = result;
    const changes: Change[] = [
      { field: 'status', from: 'running', to: 'completed' },
      { field: 'rows', from: null, to: count },
      { field: 'bytes', from: null, to: bytes },
      { field: 'sha256', from: null, to: sha256 },
    ];
    return { ok: true, changes, events: [{ type: 'export.completed' }] };
  });
  if (completed.length > 0) await storeCompleted(tx, completed, exportRetentionDays);
  return outcomes;
}

const COLUMNS = `tenant_id uuid, id uuid, rows bigint, bytes bigint, sha256 text, object_key text, file_name text, content_type text, files jsonb`;

async function storeCompleted(tx: Transaction, rows: object[], days: number): Promise<void> {
  await tx.query({
    name: 'complete-exports',
    text: `update exports t set status = 'completed', rows = r.rows, bytes = r.bytes, sha256 = r.sha256, object_key = r.object_key,
             file_name = r.file_name, content_type = r.content_type, files = r.files, error = null, lease_owner = null,
             completed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(days => $2), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(COLUMNS)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows), days],
  });
}

/** Records failed exports. The account gets a notice for each. */
export async function recordExportsFailed(
  tx: Transaction,
  commands: Command<ExportFailure>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ExportRow>(tx, 'exports', commands.map(toRecordRef));
  const failed: (RecordRef & { status: string; error: { code: string; message: string } })[] = [];
  const notices: { command: Command; notice: NoticeDraft }[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('export');
    const { attempt, ...error } = command.input;
    // Ignore the failure if the export is queued and has tries left. The failed run was an earlier
    // one, and the export has been queued again since.
    const isUnfinished =
      row.status === 'running' || (row.status === 'queued' && row.tries >= MAX_EXPORT_TRIES);
    if (!isUnfinished || row.attempts !== attempt) return UNCHANGED;
    failed.push({ ...toRecordRef(command), status: 'failed', error });
    notices.push({ command, notice: buildFailedNotice(row, error.message) });
    const changes: Change[] = [
      { field: 'status', from: row.status, to: 'failed' },
      { field: 'error', from: null, to: error },
    ];
    return { ok: true, changes, events: [] };
  });
  if (failed.length > 0) await setFinalStatus(tx, failed);
  await insertNotices(tx, notices, config);
  return outcomes;
}

function buildFailedNotice({ id, resource, format }: ExportRow, message: string): NoticeDraft {
  const exportLabel = resource === 'all' ? 'everything' : resource.replace('_', ' ');
  return {
    kind: 'export_failed',
    title: `The export of ${exportLabel} failed`,
    text: `The export of ${exportLabel} as ${format} failed. ${message}\n\nTo restart it, POST /v1/exports/${id}/retry.`,
    entity_type: 'export',
    entity_id: id,
  };
}

/**
 * Expires completed exports whose retention period has ended. The exports worker deletes the files
 * later.
 */
export async function expireExports(
  tx: Transaction,
  commands: Command<ExportAction>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ExportRow>(tx, 'exports', commands.map(toRecordRef));
  const expired: (RecordRef & { status: string })[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('export');
    const hasExpired = row.expires_at !== null && Date.parse(row.expires_at) <= Date.now();
    if (row.status !== 'completed' || !hasExpired) return UNCHANGED;
    expired.push({ ...toRecordRef(command), status: 'expired' });
    return { ok: true, changes: [{ field: 'status', from: 'completed', to: 'expired' }], events: [] };
  });
  if (expired.length > 0) await setFinalStatus(tx, expired);
  return outcomes;
}
