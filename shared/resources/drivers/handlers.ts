import type { Command, Outcome } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOfNew } from '../changes.js';
import { mergeOf, mergeRecords } from '../merge-records.js';
import { lockRecords, missing, namesOf, recordset, refKey, refOf } from '../sets.js';

const EDITABLE = 'name text, phone text, duty_classes text[], status text';
const NAMES = namesOf(EDITABLE);

/** Creates drivers. By default a driver is active and has no duty classes. */
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

/** Applies a JSON merge to drivers. duty_classes is replaced as a whole. */
export async function updateDrivers(tx: Transaction, commands: Command<DriverPatch>[]): Promise<Outcome[]> {
  const rows = await lockRecords<Row>(tx, 'drivers', commands.map(refOf));
  return mergeRecords(tx, commands, {
    table: 'drivers',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      return row ? mergeOf(row, command.input) : missing('driver');
    },
  });
}
