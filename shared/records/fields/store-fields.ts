import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../lock-records.js';
import { mergeRecords, planMerge } from '../merge-records.js';
import { notFoundOutcome } from '../outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../record-refs.js';
import { type ReferencedTable, refuseUnknownReferences } from '../references.js';
import type { RecordFields } from './record-fields.js';

export interface StoredResource {
  table: ReferencedTable;
  fields: RecordFields;
}

/** Inserts records. A column that a row does not name becomes null. */
export async function insertRecords(
  tx: Transaction,
  { table: { table }, fields }: StoredResource,
  rows: (RecordRef & Record<string, unknown>)[],
): Promise<void> {
  if (rows.length === 0) return;
  const names = fields.settableNames.join(', ');
  await tx.query({
    name: `insert-${table}`,
    text: `insert into ${table} (tenant_id, id, ${names})
           select tenant_id, id, ${names} from ${recordsetSql(`tenant_id uuid, id uuid, ${fields.settable}`)}`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Applies patches to records.
 * @param toColumns converts a body into columns; by default each member is a column
 */
export async function updateRecords<Input extends object>(
  tx: Transaction,
  commands: Command<Input>[],
  { table, fields, toColumns = (input) => input }: StoredResource & { toColumns?: (input: Input) => object },
): Promise<CommandOutcome[]> {
  const [rows, refused] = await Promise.all([
    lockRecords<Row>(tx, table.table, commands.map(toRecordRef)),
    refuseUnknownReferences(tx, commands, fields.references),
  ]);
  return mergeRecords(tx, commands, {
    table: table.table,
    columns: fields.changeable,
    plan: (command) => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome(table.entityType.replaceAll('_', ' '));
      return refused.get(command) ?? planMerge(row, toColumns(command.input));
    },
  });
}
