import type { Change } from '../contracts/command.js';
import { toCanonicalJson } from '../contracts/json/canonical-json.js';
import { parseDateTimeMs } from '../contracts/schemas/fields.js';

const INSTANT_COLUMN = /_(at|date|time)$/;

/**
 * Compares two values of a field. Lists and objects are the same if their members are equal. In a
 * column that contains a time, two notations of the same time are equal.
 */
function isSame(field: string, a: unknown, b: unknown): boolean {
  const left = a ?? null;
  const right = b ?? null;
  if (left === right) return true;
  if (isJson(left) && isJson(right)) return toCanonicalJson(left) === toCanonicalJson(right);
  if (!INSTANT_COLUMN.test(field) || typeof left !== 'string' || typeof right !== 'string') return false;
  return parseDateTimeMs(left) === parseDateTimeMs(right);
}

function isJson(value: unknown): boolean {
  return Array.isArray(value) || (typeof value === 'object' && value?.constructor === Object);
}

/**
 * Lists what a patch changes. As in a JSON merge patch (RFC 7396), an absent member keeps the
 * field, and null clears it.
 */
export function diffPatch(current: Record<string, unknown>, patch: Record<string, unknown>): Change[] {
  return Object.entries(patch)
    .filter(([field, to]) => to !== undefined && !isSame(field, current[field], to))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to ?? null }));
}

export function diffNewRecord(record: object): Change[] {
  return Object.entries(record)
    .filter(([, to]) => to !== undefined && to !== null)
    .map(([field, to]) => ({ field, from: null, to }));
}
