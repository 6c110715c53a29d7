import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf, changesOfNew } from '../changes.js';
import { lockRecords, missing, nextUpdatedAt, recordset, refKey, refOf } from '../sets.js';

const EDITABLE = 'name text, phone text, duty_classes text[], status text';
const NAMES = EDITABLE.split(',').map((column) => column.trim().split(' ')[0] as string);

/** Adds drivers; they are active and may drive nothing unless told otherwise. */
export async function createDrivers(tx: Transaction, commands: Command<DriverCreate>[]): Promise<Outcome[]> {
  const rows = commands.map((command) => ({
    status: 'active',
    duty_classes: [],
    ...command.input,
    ...refOf(command),
  }));
  await tx.query({
    name: 'insert-drivers',
    text: `insert into drivers (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)}`,
    values: [JSON.stringify(rows)],
  });
  return commands.map((command) => ({
    ok: true,
    changes: changesOfNew(command.input as unknown as Record<string, unknown>),
    events: [],
  }));
}

interface Plan {
  command: Command<DriverPatch>;
  row: Row;
  changes: Change[];
}

/** JSON merge of a driver's fields; duty_classes are replaced as a whole. */
export async function updateDrivers(tx: Transaction, commands: Command<DriverPatch>[]): Promise<Outcome[]> {
  const rows = await lockRecords<Row>(tx, 'drivers', commands.map(refOf));
  const plans = commands.flatMap((command): Plan[] => {
    const row = rows.get(refKey(refOf(command)));
    return row ? [{ command, row, changes: changesOf(row, command.input as Record<string, unknown>) }] : [];
  });
  await applyPlans(tx, plans);
  return commands.map((command) => {
    const plan = plans.find((candidate) => candidate.command === command);
    return plan ? { ok: true, changes: plan.changes, events: [] } : missing('driver');
  });
}

async function applyPlans(tx: Transaction, plans: Plan[]): Promise<void> {
  const changed = plans.filter((plan) => plan.changes.length > 0);
  if (changed.length === 0) return;
  await tx.query({
    name: 'update-drivers',
    text: `update drivers t set ${NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAt('t')}
           from ${recordset(`tenant_id uuid, id uuid, ${EDITABLE}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(changed.map(({ row, command }) => ({ ...row, ...command.input })))],
  });
}
