import { canonicalJson } from '../contracts/canonical-json.js';
import type { Change } from '../contracts/command.js';
import { instantOf } from '../contracts/fields.js';

/** Columns that hold an instant. In any other, two texts of one instant are an edit that must not be lost. */
const INSTANT_COLUMN = /_(at|date|time)$/;

/** Two values that mean the same: equal, lists of the same items, or two texts of the same instant. */
function isSame(field: string, a: unknown, b: unknown): boolean {
  const left = a ?? null;
  const right = b ?? null;
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) return canonicalJson(left) === canonicalJson(right);
  if (!INSTANT_COLUMN.test(field) || typeof left !== 'string' || typeof right !== 'string') return false;
  return instantOf(left) === instantOf(right);
}

/** The members of `patch` that differ from the current record (JSON merge: absent = keep, null = clear). */
export function changesOf(current: Record<string, unknown>, patch: Record<string, unknown>): Change[] {
  return Object.entries(patch)
    .filter(([field, to]) => to !== undefined && !isSame(field, current[field], to))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to ?? null }));
}

/** What a creation changed: every given member, from nothing. */
export function changesOfNew(record: Record<string, unknown>): Change[] {
  return Object.entries(record)
    .filter(([, to]) => to !== undefined && to !== null)
    .map(([field, to]) => ({ field, from: null, to }));
}
