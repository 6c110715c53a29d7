import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { mergeRecords, planMerge } from '../../records/merge-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { parseColumnNames, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';

const EDITABLE = 'name text, phone text, duty_classes text[], status text';
const NAMES = parseColumnNames(EDITABLE);

/** Creates drivers. By default a driver is active and has no duty classes. */
export async function createDrivers(
  tx: Transaction,
  commands: Command<DriverCreate>[],
): Promise<CommandOutcome[]> {
  const rows = commands.map((command) => ({
    status: 'active',
    duty_classes: [],
    ...command.input,
    ...toRecordRef(command),
  }));
  await tx.query({
    name: 'insert-drivers',
    text: `insert into drivers (tenant_id, id, ${NAMES.join(', ')})
           select tenant_id, id, ${NAMES.join(', ')} from ${recordsetSql(`tenant_id uuid, id uuid, ${EDITABLE}`)}`,
    values: [JSON.stringify(rows)],
  });
  return commands.map((command) => ({
    ok: true,
    changes: diffNewRecord(command.input as unknown as Record<string, unknown>),
    events: [],
  }));
}

/** Applies a JSON merge to drivers. duty_classes is replaced as a whole. */
export async function updateDrivers(
  tx: Transaction,
  commands: Command<DriverPatch>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<Row>(tx, 'drivers', commands.map(toRecordRef));
  return mergeRecords(tx, commands, {
    table: 'drivers',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      return row ? planMerge(row, command.input) : notFoundOutcome('driver');
    },
  });
}
