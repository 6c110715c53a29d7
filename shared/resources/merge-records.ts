import type { Change, Command, Outcome } from '../contracts/command.js';
import type { Row, Transaction } from '../platform/postgres.js';
import { changesOf } from './changes.js';
import { namesOf, nextUpdatedAt, recordset } from './sets.js';

/** The table that a JSON merge updates. */
interface MergeTarget {
  table: string;
  /** Columns that a merge may set, with their types, as {@link recordset} expects them. */
  columns: string;
}

/**
 * A merge that passed its checks: the locked record, the columns that it sets and the resulting
 * changes.
 */
export interface Merge {
  row: Row;
  set: Record<string, unknown>;
  changes: Change[];
}

/** Plans a merge. @param set the request's fields as column values */
export function mergeOf(row: Row, set: object): Merge {
  const columns = set as Record<string, unknown>;
  return { row, set: columns, changes: changesOf(row, columns) };
}

/**
 * Stores merges in one update query. A merge without changes leaves the record and its version
 * unchanged.
 */
export async function storeMerges(
  tx: Transaction,
  { table, columns }: MergeTarget,
  merges: Merge[],
): Promise<void> {
  const changed = merges.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return;
  const names = namesOf(columns);
  await tx.query({
    name: `merge-${table}`,
    text: `update ${table} t set ${names.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAt('t')}
           from ${recordset(`tenant_id uuid, id uuid, ${columns}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(changed.map(({ row, set }) => ({ ...row, ...set })))],
  });
}

/**
 * Runs the merges of a set of commands.
 * @param plan returns a command's merge, or the outcome that refuses it
 */
export async function mergeRecords<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  { plan, ...target }: MergeTarget & { plan: (command: Command<Input>) => Merge | Outcome },
): Promise<Outcome[]> {
  const plans = commands.map(plan);
  await storeMerges(
    tx,
    target,
    plans.filter((planned): planned is Merge => 'set' in planned),
  );
  return plans.map((planned) =>
    'set' in planned ? { ok: true, changes: planned.changes, events: [] } : planned,
  );
}
