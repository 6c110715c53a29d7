import type { Change, Command, Outcome } from '../contracts/command.js';
import type { Row, Transaction } from '../platform/postgres.js';
import { changesOf } from './changes.js';
import { namesOf, nextUpdatedAt, recordset } from './sets.js';

/** Where a JSON merge is stored. */
interface MergeTarget {
  table: string;
  /** What it may change: columns with their types, as in a recordset. */
  columns: string;
}

/** A merge that may be made: the locked record, and the columns that it sets. */
export interface Merge {
  row: Row;
  set: Record<string, unknown>;
  changes: Change[];
}

/** @param set what the request sets, in terms of the table */
export function mergeOf(row: Row, set: object): Merge {
  const columns = set as Record<string, unknown>;
  return { row, set: columns, changes: changesOf(row, columns) };
}

/** Stores merges in one statement. One that changes nothing leaves the record and its version alone. */
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

/** Makes the merges of a set of commands. @param plan a command's merge, or why there is none */
export async function mergeRecords<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  { plan, ...target }: MergeTarget & { plan: (command: Command<Input>) => Merge | Outcome },
): Promise<Outcome[]> {
  const plans = commands.map(plan);
  await storeMerges(
    tx,
    target,
    plans.filter((one): one is Merge => 'set' in one),
  );
  return plans.map((one) => ('set' in one ? { ok: true, changes: one.changes, events: [] } : one));
}
