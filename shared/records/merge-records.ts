import type { Change, Command, CommandOutcome } from '../contracts/command.js';
import type { Row, Transaction } from '../platform/postgres/database.js';
import { diffPatch } from './changes.js';
import { nextUpdatedAtSql } from './lock-records.js';
import { parseColumnNames, recordsetSql } from './record-refs.js';

interface MergeTarget {
  table: string;
  /** Columns that a merge may set, with their types, for {@link recordsetSql}. */
  columns: string;
}

/** An update of one record, after all checks have passed. The caller has locked `row`. */
export interface PlannedMerge {
  row: Row;
  set: Record<string, unknown>;
  changes: Change[];
}

/**
 * Compares a locked row with new values.
 * @param set contains the request's fields as column values
 */
export function planMerge(row: Row, set: object): PlannedMerge {
  const columns = set as Record<string, unknown>;
  return { row, set: columns, changes: diffPatch(row, columns) };
}

/**
 * Stores merges in one update query. A merge without changes leaves the record and its version as
 * they are.
 */
export async function storeMerges(
  tx: Transaction,
  { table, columns }: MergeTarget,
  merges: PlannedMerge[],
): Promise<void> {
  const changed = merges.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return;
  const names = parseColumnNames(columns);
  await tx.query({
    name: `merge-${table}`,
    text: `update ${table} t set ${names.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${columns}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(changed.map(({ row, set }) => ({ ...row, ...set })))],
  });
}

/**
 * Plans and stores one merge per command.
 * @param plan returns a command's merge, or the outcome that refuses the command
 */
export async function mergeRecords<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  { plan, ...target }: MergeTarget & { plan: (command: Command<Input>) => PlannedMerge | CommandOutcome },
): Promise<CommandOutcome[]> {
  const plans = commands.map(plan);
  await storeMerges(
    tx,
    target,
    plans.filter((planned): planned is PlannedMerge => 'set' in planned),
  );
  return plans.map((planned) =>
    'set' in planned ? { ok: true, changes: planned.changes, events: [] } : planned,
  );
}
