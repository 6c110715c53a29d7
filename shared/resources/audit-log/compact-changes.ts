import type { Change } from '../../contracts/command.js';

/** Items of a list that its summary names. */
const MAX_NAMES = 10;

/**
 * Changes as an audit entry keeps them: a list of records, such as line items, is a summary. 200
 * lines are 420 KB, and each edit would store them again; the record itself, and the events of its
 * versions, hold the lines.
 */
export function compactChanges(changes: readonly Change[]): Change[] {
  return changes.map(({ field, from, to }) => ({ field, from: compactValue(from), to: compactValue(to) }));
}

function compactValue(value: unknown): unknown {
  if (isListOfRecords(value)) return summaryOf(value);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, compactValue(member)]));
}

/** How many there are, what they are called and, where all have one, their total. */
function summaryOf(items: Record<string, unknown>[]): Record<string, unknown> {
  const names = items.flatMap(({ name }) => (typeof name === 'string' ? [name] : [])).slice(0, MAX_NAMES);
  const totals = items.map(({ total_cents }) => total_cents);
  const isTotalled = totals.every((total): total is number => typeof total === 'number');
  return {
    count: items.length,
    ...(names.length > 0 ? { names } : {}),
    ...(isTotalled ? { total_cents: totals.reduce((sum, total) => sum + total, 0) } : {}),
  };
}

function isListOfRecords(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
