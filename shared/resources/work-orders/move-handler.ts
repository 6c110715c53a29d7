import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome, EventDraft } from '../../contracts/command.js';
import type {
  WorkOrderAction as ActionInput,
  WorkOrderAssign,
  WorkOrderCancel,
  WorkOrderComplete,
} from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { listMomentsOfMove, sendJobTexts } from '../message-templates/job-texts.js';
import { reportProgress, toClubProgress, type WorkOrderProgress } from '../open-club-offers/progress.js';
import { type LockedFleet, lockFleet, renderAssigned } from './assignment.js';
import { findReleased, refreshBillingStatus } from './billing.js';
import { RESET_DRIVEN_MILES } from './driven/store-handler.js';
import {
  type CancelReason,
  hasReachedPickup,
  nextStatuses,
  ON_SITE_CANCEL_REASONS,
  WORK_ORDER_ACTIONS,
  type WorkOrderAction,
  type WorkOrderStatus,
} from './transitions.js';
import type { WorkOrderRow } from './work-order-row.js';

type MoveInput = Partial<ActionInput & WorkOrderAssign & WorkOrderCancel & WorkOrderComplete>;
type MoveCommand = Command<MoveInput>;

interface Facts {
  rows: Map<string, WorkOrderRow>;
  fleet: LockedFleet;
  released: Set<string>;
  now: string;
}

type Move = (row: WorkOrderRow, command: MoveCommand, facts: Facts) => Partial<WorkOrderRow> | CommandOutcome;

const MOVES: Record<WorkOrderAction, Move> = {
  accept: () => ({ intake: 'accepted' }),
  assign: (row, command, { fleet, now }) => {
    const { eta } = command.input;
    const pick = fleet.assign(row, command);
    if ('ok' in pick) return pick;
    const isSame =
      row.status === 'dispatched' && row.truck_id === pick.truckId && row.driver_id === pick.driverId;
    if (isSame) return eta === undefined || isSameTime(eta, row.eta) ? {} : { eta };
    return {
      status: 'dispatched',
      intake: 'accepted',
      truck_id: pick.truckId,
      driver_id: pick.driverId,
      dispatch_time: now,
      eta: eta ?? null,
      step: null,
    };
  },
  unassign: () => ({
    status: 'pending',
    truck_id: null,
    driver_id: null,
    dispatch_time: null,
    eta: null,
    step: null,
  }),
  start: () => ({ status: 'in_progress' }),
  complete: (row, { input }, { now }) => ({
    status: 'completed',
    completion_time: input.at ?? now,
    miles: input.miles ?? row.miles,
  }),
  cancel: (row, { input }) => {
    const reason = input.reason as CancelReason;
    const wasOnSite = row.status === 'in_progress' || hasReachedPickup(row);
    if (ON_SITE_CANCEL_REASONS.includes(reason) && !wasOnSite) {
      return failIllegalMove(
        row,
        'cancelled',
        `${reason} is for jobs in progress or with a truck on scene: no truck has been there yet.`,
      );
    }
    return { status: 'cancelled', cancel_reason: reason, cancel_note: input.note ?? null };
  },
  reopen: (row, command, { released }) => {
    if (command.actor.type !== 'user')
      return failIllegalMove(row, 'pending', 'Only a signed-in person may reopen a job.');
    if (released.has(refKey(row)))
      return failIllegalMove(row, 'pending', 'An invoice of this job is released already.');
    return {
      status: 'pending',
      truck_id: null,
      driver_id: null,
      dispatch_time: null,
      completion_time: null,
      cancel_reason: null,
      cancel_note: null,
      step: null,
    };
  },
};

/** True for two notations of the same time, such as with `Z` and with `+00:00`. */
function isSameTime(one: string | null, other: string | null): boolean {
  return one === null || other === null ? one === other : Date.parse(one) === Date.parse(other);
}

function failIllegalMove(row: WorkOrderRow, to: WorkOrderStatus, reason?: string): CommandOutcome {
  return failedOutcome({
    code: 'invalid_status_transition',
    message: reason ?? `A job cannot go from ${row.status} to ${to} by this request.`,
    details: [
      {
        field: 'status',
        from: row.status,
        to,
        allowed: nextStatuses(row.status),
        ...(reason ? { reason } : {}),
      },
    ],
  });
}

/**
 * Returns the handler of an action. If the work order already has the target status, only `accept`
 * and `assign` can change something.
 */
export function createMoveHandler(action: WorkOrderAction) {
  return async (tx: Transaction, commands: MoveCommand[], config: Config): Promise<CommandOutcome[]> => {
    const facts = await readFacts(tx, commands, action);
    const plans = commands.map((command): PlannedMove | CommandOutcome => {
      const key = refKey(toRecordRef(command));
      const row = facts.rows.get(key);
      if (!row) return notFoundOutcome('work order');
      const planned = planMove(action, row, { command, facts });
      if (!('ok' in planned)) facts.rows.set(key, planned.row);
      return planned;
    });
    const moved = plans.flatMap((plan) => ('ok' in plan ? [] : plan.row));
    await storeMoves(tx, moved);
    const shown = action === 'assign' ? await renderAssigned(tx, moved) : undefined;
    const moments = plans.flatMap((plan, index) => {
      const command = commands[index];
      return 'ok' in plan || !command ? [] : listMomentsOfMove(action, { command, ...plan });
    });
    const prompts = await sendJobTexts(tx, moments, config);
    const reports = await reportProgress(tx, listProgress(action, moved));
    return plans.map((plan, index) =>
      'ok' in plan
        ? plan
        : {
            ok: true,
            changes: plan.changes,
            events: [...buildEvents(action, plan, shown), ...(reports.get(refKey(plan.row)) ?? [])],
            prompts: prompts.get(commands[index]?.id ?? '') ?? [],
          },
    );
  };
}

interface PlannedMove {
  row: WorkOrderRow;
  changes: Change[];
}

function planMove(
  action: WorkOrderAction,
  row: WorkOrderRow,
  { command, facts }: { command: MoveCommand; facts: Facts },
): PlannedMove | CommandOutcome {
  const { from, to } = WORK_ORDER_ACTIONS[action];
  if (!from.includes(row.status)) return row.status === to ? unchanged() : failIllegalMove(row, to);
  const fields = MOVES[action](row, command, facts);
  if ('ok' in fields) return fields as CommandOutcome;
  const changes = Object.entries(fields)
    .filter(([field, value]) => row[field] !== value)
    .map(([field, value]) => ({ field, from: row[field] ?? null, to: value ?? null }));
  if (changes.length === 0) return unchanged();
  return { row: { ...row, ...fields } as WorkOrderRow, changes };
}

/** Returns what motor clubs learn of moved work orders, if these came of their offers. */
function listProgress(action: WorkOrderAction, rows: readonly WorkOrderRow[]): WorkOrderProgress[] {
  const clear_eta = action === 'unassign' || action === 'reopen';
  return rows.map((row) => {
    const { tenant_id, id, eta, cancel_reason } = row;
    return { tenant_id, id, progress: toClubProgress(row), eta, clear_eta, cancel_reason };
  });
}

function unchanged(): CommandOutcome {
  return { ok: true, changes: [], events: [] };
}

function buildEvents(
  action: WorkOrderAction,
  { row, changes }: PlannedMove,
  shown: ((row: WorkOrderRow) => Record<string, unknown>) | undefined,
): EventDraft[] {
  if (action === 'complete') return [{ type: 'work_order.completed' }];
  const isAssigned = changes.some(({ field }) => field !== 'eta');
  return shown && isAssigned ? [{ type: 'dispatch.assigned', extra: shown(row) }] : [];
}

async function readFacts(tx: Transaction, commands: MoveCommand[], action: WorkOrderAction): Promise<Facts> {
  const refs = commands.map(toRecordRef);
  const [rows, released] = await Promise.all([
    lockRecords<WorkOrderRow>(tx, 'work_orders', refs),
    action === 'reopen' ? findReleased(tx, refs) : new Set<string>(),
  ]);
  const fleet = await lockFleet(tx, action === 'assign' ? commands : []);
  return { rows, fleet, released, now: new Date().toISOString() };
}

const STORED = `status text, intake text, truck_id uuid, driver_id uuid, dispatch_time timestamptz, completion_time timestamptz,
  cancel_reason text, cancel_note text, eta timestamptz, step text, miles numeric`;
const NAMES = parseColumnNames(STORED);

async function storeMoves(tx: Transaction, rows: WorkOrderRow[]): Promise<void> {
  if (rows.length === 0) return;
  await Promise.all([
    tx.query({
      name: 'move-jobs',
      text: `update work_orders t set ${NAMES.map((name) => `${name} = r.${name}`).join(', ')}, ${RESET_DRIVEN_MILES}, updated_at = ${nextUpdatedAtSql('t')}
             from ${recordsetSql(`tenant_id uuid, id uuid, ${STORED}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
      values: [JSON.stringify(rows)],
    }),
    refreshBillingStatus(
      tx,
      rows.map(({ tenant_id, id }) => ({ tenant_id, id })),
    ),
  ]);
}
