import { formatCount } from '../../billing/phrases.js';
import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import type { ImpoundHold, ImpoundPatch, ImpoundRelease } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { refuseUnknownReferences } from '../../records/references.js';
import { impoundFields, vehicle } from './fields.js';
import { type ImpoundRow, lockImpounds, storeImpounds } from './impound-row.js';
import { calculateStorageStays, type StorageStay } from './storage-stays.js';
import { DEPARTED_IMPOUND_STATUSES, type ImpoundStatus, nextImpoundStatuses } from './transitions.js';

type Input = Partial<ImpoundHold & ImpoundPatch & ImpoundRelease>;
type ImpoundCommand = Command<Input>;

/** Returns the columns that an action changes, or the error outcome. */
type Move = (
  row: ImpoundRow,
  command: ImpoundCommand,
  stay: StorageStay,
) => Record<string, unknown> | CommandOutcome;

const MOVES: Record<'update' | 'hold' | 'unhold' | 'release', Move> = {
  update: (row, { input }, stay) => {
    const { status, vehicle: stored, ...fields } = input;
    const facts = { ...fields, ...vehicle.toColumns(stored) };
    if (status === undefined || status === row.status) return facts;
    const moved = planStatusChange(row, status, stay);
    return 'ok' in moved ? moved : { ...facts, ...moved };
  },
  hold: (row, { input }, stay) => {
    if (row.status === 'hold') return {};
    const moved = planStatusChange(row, 'hold', stay);
    return 'ok' in moved ? moved : { ...moved, held_from: row.status, hold_reason: input.reason };
  },
  unhold: (row) => {
    if (row.held_from !== null) return { status: row.held_from, held_from: null, hold_reason: null };
    return DEPARTED_IMPOUND_STATUSES.includes(row.status) ? invalidTransition(row, 'stored') : {};
  },
  release: (row, { input }, stay) => {
    if (row.status === 'released') return {};
    const moved = planStatusChange(row, 'released', stay);
    return 'ok' in moved
      ? moved
      : { ...moved, release_kind: input.kind, released_to: input.released_to ?? null };
  },
};

/**
 * Returns the columns that a status change sets, or the error outcome. If the vehicle leaves the
 * yard, the columns include the release time and the final `accrued_days`.
 */
function planStatusChange(
  row: ImpoundRow,
  to: ImpoundStatus,
  stay: StorageStay,
): Record<string, unknown> | CommandOutcome {
  if (!nextImpoundStatuses(row).includes(to) || row.status === 'hold') return invalidTransition(row, to);
  if (!DEPARTED_IMPOUND_STATUSES.includes(to)) return { status: to };
  const refusal = checkStay(stay);
  return refusal ?? { status: to, released_at: stay.until, accrued_days: stay.charged_days };
}

function invalidTransition(row: ImpoundRow, to: ImpoundStatus): CommandOutcome {
  const reason =
    row.status === 'hold' ? `A hold blocks it (${row.hold_reason}). Lift it first with /unhold.` : undefined;
  const message = reason ?? `An impound cannot go from ${row.status} to ${to} by this request.`;
  const allowed = nextImpoundStatuses(row);
  return failedOutcome({
    code: 'invalid_status_transition',
    message,
    details: [{ field: 'status', from: row.status, to, allowed, ...(reason ? { reason } : {}) }],
  });
}

function checkStay(stay: StorageStay): CommandOutcome | undefined {
  if (stay.is_before_start || stay.is_future) {
    const message = `at must not be ${stay.is_future ? 'in the future' : 'before impounded_at'}`;
    const details = [{ field: 'at', code: stay.is_future ? 'future' : 'too_early', message }];
    return failedOutcome({ code: 'validation_error', message: `${message}.`, details });
  }
  if (stay.charged_days >= stay.invoiced_days) return undefined;
  const { invoiced_days: invoiced, charged_days: charged } = stay;
  const message = `${formatCount(invoiced, 'day')} of storage ${invoiced === 1 ? 'is' : 'are'} invoiced, but only ${charged} ${charged === 1 ? 'is' : 'are'} charged until then`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Void or correct the invoice first, or release it later.`,
    details: [{ field: 'at', code: 'invoiced', message }],
  });
}

/**
 * Returns the handler of an action. `hold` changes nothing if the impound is already on hold.
 * `release` changes nothing if the impound is already released.
 */
export function createImpoundActionHandler(action: keyof typeof MOVES) {
  return async (tx: Transaction, commands: ImpoundCommand[]): Promise<CommandOutcome[]> => {
    const releaseTimes = commands.map((command) => ({
      ...toRecordRef(command),
      until: command.input.at ?? null,
    }));
    const [rows, stays, refused] = await Promise.all([
      lockImpounds(tx, commands.map(toRecordRef)),
      calculateStorageStays(tx, releaseTimes),
      refuseUnknownReferences(tx, commands, impoundFields.references),
    ]);
    const stored: ImpoundRow[] = [];
    const outcomes = commands.map((command): CommandOutcome => {
      const key = refKey(toRecordRef(command));
      const row = rows.get(key);
      if (!row) return notFoundOutcome('impound');
      const refusal = refused.get(command);
      if (refusal) return refusal;
      const columns = MOVES[action](row, command, stays.get(key) as StorageStay);
      if ('ok' in columns) return columns as CommandOutcome;
      const changes: Change[] = diffPatch(row, columns);
      if (changes.length > 0) stored.push({ ...row, ...columns });
      return { ok: true, changes, events: [] };
    });
    await storeImpounds(tx, stored);
    return outcomes;
  };
}
