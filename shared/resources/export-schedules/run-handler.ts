import type { Change, Command, Outcome } from '../../contracts/command.js';
import { systemCommand } from '../../contracts/system-command.js';
import type { Config } from '../../platform/config.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { createExport, type ExportInput } from '../exports/commands.js';
import { createExports } from '../exports/handlers.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import { byRef, nextUpdatedAt, type RecordRef, recordset, refKey, refOf } from '../sets.js';
import type { ScheduleRun } from './commands.js';
import { lockSchedules } from './handlers.js';
import type { ScheduleRow } from './schedule-rows.js';
import { filtersOf } from './sweep.js';
import { runTimesSql } from './times.js';

const NOTHING: Outcome = { ok: true, changes: [], events: [] };

/** Of a run that is due. */
interface RunTimes extends RecordRef {
  /** RFC 3339. */
  next_run_at: string;
  /** Days in the tenant's time zone: from this one, and before that one. */
  since: string;
  until: string;
}

interface Run {
  command: Command<ScheduleRun>;
  row: ScheduleRow;
  times: RunTimes;
  /** What `POST /exports` would have given. */
  order: Command<ExportInput>;
}

/**
 * Asks for the exports of schedules that are due, and moves these on to their next time after now. Of a time for which one has been asked already, as of a
 * schedule that was disabled or moved meanwhile, nothing comes. An account that has as many unfinished exports as it may have is told that this run is skipped.
 */
export async function runExportSchedules(
  tx: Transaction,
  commands: Command<ScheduleRun>[],
  config: Config,
): Promise<Outcome[]> {
  const rows = await lockSchedules(tx, commands);
  const due = commands.filter((command) => isDue(rows.get(refKey(refOf(command))), command.input));
  if (due.length === 0) return commands.map(() => NOTHING);
  const times = byRef(await findTimes(tx, due.map(refOf)));
  const runs = due.map((command) => runOf(command, rows, times));
  const made = await createExports(
    tx,
    runs.map(({ order }) => order),
  );
  await moveOn(
    tx,
    runs.map(({ times: at, order }, index) => ({
      ...at,
      export_id: made[index]?.ok ? order.entityId : null,
    })),
  );
  const skipped = runs.filter((_, index) => !made[index]?.ok);
  await insertNotices(
    tx,
    skipped.map((run) => ({ command: run.command, notice: skippedNotice(run) })),
    config,
  );
  const outcomes = new Map(runs.map((run, index) => [run.command, outcomeOf(run, made[index])]));
  return commands.map((command) => outcomes.get(command) ?? NOTHING);
}

function isDue(row: ScheduleRow | undefined, { due_at }: ScheduleRun): boolean {
  return row?.next_run_at != null && Date.parse(row.next_run_at) === Date.parse(due_at);
}

/** After the rows have been locked: a time zone that was changed meanwhile is the new one. */
function findTimes(tx: Transaction, refs: RecordRef[]): Promise<RunTimes[]> {
  return tx.query<RunTimes>({
    name: 'export-schedule-times',
    text: `select s.tenant_id, s.id, to_json(n.next_run_at) #>> '{}' as next_run_at, n.since, n.until
           from ${recordset('tenant_id uuid, id uuid')}
           join export_schedules s on s.tenant_id = r.tenant_id and s.id = r.id
           join tenants o on o.tenant_id = s.tenant_id
           cross join lateral (select ${runTimesSql('s', 'o.time_zone')}) n`,
    values: [JSON.stringify(refs)],
  });
}

function runOf(
  command: Command<ScheduleRun>,
  rows: Map<string, ScheduleRow>,
  allTimes: Map<string, RunTimes>,
): Run {
  const key = refKey(refOf(command));
  const row = rows.get(key);
  const times = allTimes.get(key);
  if (!row || !times) throw new Error('a schedule that was locked is gone');
  const { resource, format, include, compression, bom, decimals } = row;
  const { tenantId, environment } = command;
  const input: ExportInput = {
    ...{ resource, format, include, compression, bom, decimals },
    filters: filtersOf(row, times),
    schedule_id: row.id,
    estimated_rows: command.input.estimated_rows,
  };
  const { type } = createExport;
  const order = systemCommand({ type, tenantId, environment, name: 'clock', entityId: newId(), input });
  return { command, row, times, order: order as Command<ExportInput> };
}

async function moveOn(tx: Transaction, rows: (RunTimes & { export_id: string | null })[]): Promise<void> {
  await tx.query({
    name: 'move-export-schedules-on',
    text: `update export_schedules t set next_run_at = r.next_run_at, last_export_id = coalesce(r.export_id, t.last_export_id),
             last_run_at = case when r.export_id is null then t.last_run_at else now() end, updated_at = ${nextUpdatedAt('t')}
           from ${recordset('tenant_id uuid, id uuid, next_run_at timestamptz, export_id uuid')}
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

function outcomeOf({ row, times, order }: Run, made: Outcome | undefined): Outcome {
  const moved: Change = { field: 'next_run_at', from: row.next_run_at, to: times.next_run_at };
  if (!made?.ok) {
    const skipped: Change = { field: 'skipped_run_at', from: null, to: row.next_run_at };
    return { ok: true, changes: [moved, skipped], events: [] };
  }
  const asked: Change = { field: 'last_export_id', from: row.last_export_id, to: order.entityId };
  return { ...made, changes: [moved, asked], ran: { command: order, changes: made.changes } };
}

function skippedNotice({ row, times, order }: Run): NoticeDraft {
  const { resource, format } = row;
  const what = `${resource === 'all' ? 'everything' : resource.replace('_', ' ')} as ${format}`;
  const { estimated_rows: _estimate, schedule_id: _schedule, ...body } = order.input;
  return {
    kind: 'export_skipped',
    title: `A scheduled export of ${what} was skipped`,
    text: `The export of ${what} that was due at ${row.next_run_at} was skipped, because too many exports of this account were not finished. The next one is due at ${times.next_run_at}.\n\nTo have this one too, POST /v1/exports with ${JSON.stringify(body)}`,
    entity_type: 'export_schedule',
    entity_id: row.id,
  };
}
