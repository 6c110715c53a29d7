import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { DriverCreate, DriverPatch } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { insertRecords, updateRecords } from '../../records/fields/store-fields.js';
import { toRecordRef } from '../../records/record-refs.js';
import { driverFields } from './fields.js';
import { driverTable } from './table.js';

const DRIVERS = { table: driverTable, fields: driverFields };

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
  await insertRecords(tx, DRIVERS, rows);
  return commands.map(({ input }) => ({ ok: true, changes: diffNewRecord(input), events: [] }));
}

/** Changes drivers. If a patch contains duty_classes, it replaces the whole list. */
export function updateDrivers(tx: Transaction, commands: Command<DriverPatch>[]): Promise<CommandOutcome[]> {
  return updateRecords(tx, commands, DRIVERS);
}

export const driverHandlers: CommandHandlers = {
  'driver.create': createDrivers,
  'driver.update': updateDrivers,
};
