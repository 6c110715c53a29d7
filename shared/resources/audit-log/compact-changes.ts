import type { Change } from '../../contracts/command.js';

/** A summary of a list names at most this many items. */
const MAX_NAMES = 10;

/**
 * Replaces each list of records by a summary. 200 line items are 420 KB, and each edit would store
 * all of them again. The full line items remain in the record and in its events.
 */
export function compactChanges(changes: readonly Change[]): Change[] {
  return changes.map(({ field, from, to }) => ({ field, from: compactValue(from), to: compactValue(to) }));
}

function compactValue(value: unknown): unknown {
  if (isListOfRecords(value)) return summarizeList(value);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, compactValue(member)]));
}

/**
 * Counts the items and names the first ones. Adds the sum of the totals only if each item has a
 * total.
 */
function summarizeList(items: Record<string, unknown>[]): Record<string, unknown> {
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
