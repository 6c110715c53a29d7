import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { WorkOrderStepEntry } from '../../contracts/generated.js';
import { ACTIVE_STATUSES } from '../../contracts/vocabulary.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { type JobMoment, sendJobTexts } from '../message-templates/job-texts.js';
import { isClubProgress, reportProgress, type WorkOrderProgress } from '../open-club-offers/progress.js';
import type { WorkOrderRow } from './work-order-row.js';

/**
 * Logs steps that drivers report. A step never changes the status of the work order
 * (docs/decisions.md §4).
 */
export async function logSteps(
  tx: Transaction,
  commands: Command<WorkOrderStepEntry>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<WorkOrderRow>(tx, 'work_orders', commands.map(toRecordRef));
  const logged: Record<string, unknown>[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('work order');
    if (!ACTIVE_STATUSES.includes(row.status)) return failNotActive(row, command.input.step);
    const { step, at, lat = null, lng = null } = command.input;
    logged.push({
      ...toRecordRef(command),
      // The list of steps finds the command's audit entry by this id.
      step_id: command.id,
      step,
      at: at ?? new Date().toISOString(),
      lat,
      lng,
      truck_id: row.truck_id,
      driver_id: row.driver_id,
    });
    return { ok: true, changes: [{ field: 'step', from: row.step, to: step }], events: [] };
  });
  if (logged.length > 0) await storeSteps(tx, logged);
  const moments = commands.flatMap((command, index) => (outcomes[index]?.ok ? listMoments(command) : []));
  const prompts = await sendJobTexts(tx, moments, config);
  const reports = await reportProgress(
    tx,
    commands.flatMap((command, index) => (outcomes[index]?.ok ? listProgress(command) : [])),
  );
  return commands.map((command, index) => {
    const outcome = outcomes[index] as CommandOutcome;
    if (!outcome.ok) return outcome;
    const events = reports.get(refKey(toRecordRef(command))) ?? [];
    return { ...outcome, events, prompts: prompts.get(command.id) ?? [] };
  });
}

/** Returns what a motor club learns of the step. Some steps concern only the company's driver. */
function listProgress(command: Command<WorkOrderStepEntry>): WorkOrderProgress[] {
  const { step } = command.input;
  return isClubProgress(step) ? [{ ...toRecordRef(command), progress: step }] : [];
}

function listMoments(command: Command<WorkOrderStepEntry>): JobMoment[] {
  const { step } = command.input;
  return step === 'en_route' || step === 'on_scene' ? [{ ...toRecordRef(command), command, key: step }] : [];
}

function failNotActive(row: WorkOrderRow, step: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `Job ${row.job_number} is ${row.status}: a driver reports steps while it is ${ACTIVE_STATUSES.join(' or ')}.`,
    details: [
      {
        field: 'step',
        code: 'not_under_way',
        message: `${step} cannot be logged while the job is ${row.status}`,
      },
    ],
  });
}

async function storeSteps(tx: Transaction, rows: Record<string, unknown>[]): Promise<void> {
  const values = [JSON.stringify(rows)];
  await Promise.all([
    tx.query({
      name: 'insert-steps',
      text: `insert into work_order_steps (tenant_id, id, work_order_id, step, truck_id, driver_id, at, lat, lng)
             select tenant_id, step_id, id, step, truck_id, driver_id, at, lat, lng
             from ${recordsetSql(
               'tenant_id uuid, id uuid, step_id uuid, step text, truck_id uuid, driver_id uuid, at timestamptz, lat float8, lng float8',
             )}`,
      values,
    }),
    tx.query({
      name: 'set-steps',
      text: `update work_orders t set step = r.step, updated_at = ${nextUpdatedAtSql('t')}
             from ${recordsetSql('tenant_id uuid, id uuid, step text')} where t.tenant_id = r.tenant_id and t.id = r.id`,
      values,
    }),
  ]);
}
