import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import { createSystemCommand } from '../../contracts/system-command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { indexByRef, type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { createExport, type ExportInput } from '../exports/commands.js';
import { createExports } from '../exports/handlers.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import type { ScheduleRun } from './commands.js';
import { lockSchedules, type ScheduleRow } from './schedule-rows.js';
import { buildRunFilters } from './sweep.js';
import { runTimesSql } from './times.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

interface RunTimes extends RecordRef {
  /** RFC 3339 time. */
  next_run_at: string;
  /**
   * First day of the exported period, in the account's time zone. `until` is the day after the last
   * day.
   */
  since: string;
  until: string;
}

interface Run {
  command: Command<ScheduleRun>;
  row: ScheduleRow;
  times: RunTimes;
  /** The command that `POST /exports` would submit for this run. */
  request: Command<ExportInput>;
}

/**
 * Requests the exports of due schedules. A command does nothing if its run has already been made,
 * or if the schedule was disabled or rescheduled after the clock found it. If an account is at its
 * limit of unfinished exports, the run is skipped and the account gets a notice.
 */
export async function runExportSchedules(
  tx: Transaction,
  commands: Command<ScheduleRun>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockSchedules(tx, commands);
  const due = commands.filter((command) => isDue(rows.get(refKey(toRecordRef(command))), command.input));
  if (due.length === 0) return commands.map(() => UNCHANGED);
  const times = indexByRef(await findTimes(tx, due.map(toRecordRef)));
  const runs = due.map((command) => buildRun(command, rows, times));
  const results = await createExports(
    tx,
    runs.map(({ request }) => request),
  );
  await updateRunTimes(
    tx,
    runs.map(({ times: at, request }, index) => ({
      ...at,
      export_id: results[index]?.ok ? request.entityId : null,
    })),
  );
  const skipped = runs.filter((_, index) => !results[index]?.ok);
  await insertNotices(
    tx,
    skipped.map((run) => ({ command: run.command, notice: buildSkippedNotice(run) })),
    config,
  );
  const outcomes = new Map(runs.map((run, index) => [run.command, buildOutcome(run, results[index])]));
  return commands.map((command) => outcomes.get(command) ?? UNCHANGED);
}

function isDue(row: ScheduleRow | undefined, { due_at }: ScheduleRun): boolean {
  return row?.next_run_at != null && Date.parse(row.next_run_at) === Date.parse(due_at);
}

/**
 * Finds the next run time and the period of each schedule. Call this function after the schedules
 * are locked. A concurrent change of the account's time zone then waits for this transaction,
 * because such a change updates the schedules too.
 */
function findTimes(tx: Transaction, refs: RecordRef[]): Promise<RunTimes[]> {
  return tx.query<RunTimes>({
    name: 'export-schedule-times',
    text: `select s.tenant_id, s.id, to_json(n.next_run_at) #>> '{}' as next_run_at, n.since, n.until
           from ${recordsetSql('tenant_id uuid, id uuid')}
           join export_schedules s on s.tenant_id = r.tenant_id and s.id = r.id
           join tenants o on o.tenant_id = s.tenant_id
           cross join lateral (select ${runTimesSql('s', 'o.time_zone')}) n`,
    values: [JSON.stringify(refs)],
  });
}

function buildRun(
  command: Command<ScheduleRun>,
  rows: Map<string, ScheduleRow>,
  allTimes: Map<string, RunTimes>,
): Run {
  const key = refKey(toRecordRef(command));
  const row = rows.get(key);
  const times = allTimes.get(key);
  if (!row || !times) throw new Error('a locked schedule is missing');
  const { resource, format, include, compression, bom, decimals } = row;
  const { tenantId, environment } = command;
  const input: ExportInput = {
    resource,
    format,
    include,
    compression,
    bom,
    decimals,
    filters: buildRunFilters(row, times),
    schedule_id: row.id,
    estimated_rows: command.input.estimated_rows,
  };
  const { type } = createExport;
  const request = createSystemCommand({
    type,
    tenantId,
    environment,
    name: 'clock',
    entityId: newId(),
    input,
  });
  return { command, row, times, request: request as Command<ExportInput> };
}

async function updateRunTimes(
  tx: Transaction,
  rows: (RunTimes & { export_id: string | null })[],
): Promise<void> {
  await tx.query({
    name: 'move-export-schedules-on',
    text: `update export_schedules t set next_run_at = r.next_run_at, last_export_id = coalesce(r.export_id, t.last_export_id),
             last_run_at = case when r.export_id is null then t.last_run_at else now() end, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, next_run_at timestamptz, export_id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

function buildOutcome({ row, times, request }: Run, result: CommandOutcome | undefined): CommandOutcome {
  const rescheduled: Change = { field: 'next_run_at', from: row.next_run_at, to: times.next_run_at };
  if (!result?.ok) {
    const skipped: Change = { field: 'skipped_run_at', from: null, to: row.next_run_at };
    return { ok: true, changes: [rescheduled, skipped], events: [] };
  }
  const requested: Change = { field: 'last_export_id', from: row.last_export_id, to: request.entityId };
  return {
    ...result,
    changes: [rescheduled, requested],
    ranCommands: [{ command: request, changes: result.changes }],
  };
}

function buildSkippedNotice({ row, times, request }: Run): NoticeDraft {
  const { resource, format } = row;
  const exportLabel = `${resource === 'all' ? 'everything' : resource.replace('_', ' ')} as ${format}`;
  const { estimated_rows: _estimate, schedule_id: _schedule, ...body } = request.input;
  return {
    kind: 'export_skipped',
    title: `A scheduled export of ${exportLabel} was skipped`,
    text: `The export of ${exportLabel} that was due at ${row.next_run_at} was skipped because this account had too many unfinished exports. The next run is due at ${times.next_run_at}.\n\nTo export this data now, POST /v1/exports with ${JSON.stringify(body)}`,
    entity_type: 'export_schedule',
    entity_id: row.id,
  };
}
