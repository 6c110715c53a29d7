import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { YardCreate, YardPatch } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { insertRecords, updateRecords } from '../../records/fields/store-fields.js';
import { toRecordRef } from '../../records/record-refs.js';
import { yardFields } from './fields.js';
import { yardTable } from './table.js';

const YARDS = { table: yardTable, fields: yardFields };

async function createYards(tx: Transaction, commands: Command<YardCreate>[]): Promise<CommandOutcome[]> {
  const rows = commands.map((command) => ({ ...command.input, ...toRecordRef(command) }));
  await insertRecords(tx, YARDS, rows);
  return commands.map(({ input }) => ({ ok: true, changes: diffNewRecord(input), events: [] }));
}

function updateYards(tx: Transaction, commands: Command<YardPatch>[]): Promise<CommandOutcome[]> {
  return updateRecords(tx, commands, YARDS);
}

export const yardHandlers: CommandHandlers = {
  'yard.create': createYards,
  'yard.update': updateYards,
};
