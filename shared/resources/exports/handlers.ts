import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { ExportAction } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { EXPORTS_QUEUE } from '../../queues/exports.js';
import { AccountQuota } from '../../records/account-quota.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import type { ExportInput } from './commands.js';
import { type ExportRow, setFinalStatus, UNFINISHED_EXPORT_QUOTA } from './export-rows.js';
import { exportFields } from './fields.js';
import { expireExports, recordExportsCompleted, recordExportsFailed } from './record-handlers.js';

/** Creates exports. After the commit, the exports worker gets a wake-up job for each export. */
export async function createExports(
  tx: Transaction,
  commands: Command<ExportInput>[],
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, UNFINISHED_EXPORT_QUOTA);
  const toInsert: object[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const refusal = quota.reserve(command.tenantId);
    if (refusal) return refusal;
    const { estimated_rows: _estimate, ...request } = command.input;
    toInsert.push({ ...toRecordRef(command), ...command.input });
    return {
      ok: true,
      changes: diffNewRecord(request),
      events: [],
      prompts: [{ queue: EXPORTS_QUEUE, id: command.entityId }],
    };
  });
  if (toInsert.length > 0) await insertExports(tx, toInsert);
  return outcomes;
}

const COLUMNS = `tenant_id uuid, id uuid, ${exportFields.settable}, estimated_rows bigint, schedule_id uuid`;

async function insertExports(tx: Transaction, rows: object[]): Promise<void> {
  const names = parseColumnNames(COLUMNS).join(', ');
  await tx.query({
    name: 'insert-exports',
    text: `insert into exports (${names}) select ${names} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Maps the status of an export to its status after DELETE. In any other status, there is nothing to
 * delete.
 */
const STATUS_AFTER_DELETE: Partial<Record<ExportRow['status'], ExportRow['status']>> = {
  queued: 'cancelled',
  running: 'cancelled',
  completed: 'expired',
};

/**
 * Cancels unfinished exports, and expires completed exports. The exports worker deletes the files
 * later. A worker that writes an export notices the cancellation when it renews its lease.
 */
export async function cancelExports(
  tx: Transaction,
  commands: Command<ExportAction>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<ExportRow>(tx, 'exports', commands.map(toRecordRef));
  const changed: (RecordRef & { status: string })[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('export');
    const to = STATUS_AFTER_DELETE[row.status];
    if (!to) return { ok: true, changes: [], events: [] };
    changed.push({ ...toRecordRef(command), status: to });
    return { ok: true, changes: [{ field: 'status', from: row.status, to }], events: [] };
  });
  if (changed.length > 0) await setFinalStatus(tx, changed);
  return outcomes;
}

export async function retryExports(
  tx: Transaction,
  commands: Command<ExportAction>[],
): Promise<CommandOutcome[]> {
  // Lock the accounts (`AccountQuota.load`) before the exports, in the same sequence as
  // createExports. Otherwise the two handlers could deadlock.
  const quota = await AccountQuota.load(tx, commands, UNFINISHED_EXPORT_QUOTA);
  const rows = await lockRecords<ExportRow>(tx, 'exports', commands.map(toRecordRef));
  const queued: RecordRef[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('export');
    if (!['failed', 'cancelled', 'expired'].includes(row.status)) return refuseRetry(row.status);
    const refusal = quota.reserve(command.tenantId);
    if (refusal) return refusal;
    queued.push(toRecordRef(command));
    const changes = [{ field: 'status', from: row.status, to: 'queued' }];
    return { ok: true, changes, events: [], prompts: [{ queue: EXPORTS_QUEUE, id: command.entityId }] };
  });
  if (queued.length > 0) await requeueExports(tx, queued);
  return outcomes;
}

function refuseRetry(status: string): CommandOutcome {
  const message =
    status === 'completed'
      ? 'The export is completed. Download it, or request a new one.'
      : `The export is already ${status}. Wait for it, or cancel it first.`;
  const details = [{ field: 'status', from: status, to: 'queued', allowed: [] }];
  return failedOutcome({ code: 'invalid_status_transition', message, details });
}

/**
 * Queues exports again and clears their results. Keeps object_key, because the exports worker still
 * has to delete that object.
 */
async function requeueExports(tx: Transaction, refs: RecordRef[]): Promise<void> {
  await tx.query({
    name: 'queue-exports-again',
    text: `update exports t set status = 'queued', rows = 0, bytes = 0, file_name = null, content_type = null, sha256 = null, files = '[]',
             error = null, tries = 0, lease_owner = null, lease_until = now(), wal_lsn = pg_current_wal_insert_lsn(), started_at = null,
             completed_at = null, expires_at = null, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

export const exportHandlers: CommandHandlers = {
  'export.create': createExports,
  'export.cancel': cancelExports,
  'export.retry': retryExports,
  'export.record_completed': recordExportsCompleted,
  'export.record_failed': recordExportsFailed,
  'export.expire': expireExports,
};
