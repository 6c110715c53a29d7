import type { Change } from '../contracts/command.js';

/** Two values that mean the same: equal, or two texts of the same instant. */
function isSame(a: unknown, b: unknown): boolean {
  const left = a ?? null;
  const right = b ?? null;
  if (left === right) return true;
  if (typeof left !== 'string' || typeof right !== 'string' || !TIMESTAMP.test(left) || !TIMESTAMP.test(right)) return false;
  return Date.parse(left) === Date.parse(right);
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

/** The members of `patch` that differ from the current record (JSON merge: absent = keep, null = clear). */
export function changesOf(current: Record<string, unknown>, patch: Record<string, unknown>): Change[] {
  return Object.entries(patch)
    .filter(([field, to]) => to !== undefined && !isSame(current[field], to))
    .map(([field, to]) => ({ field, from: current[field] ?? null, to: to ?? null }));
}

/** What a creation changed: every given member, from nothing. */
export function changesOfNew(record: Record<string, unknown>): Change[] {
  return Object.entries(record)
    .filter(([, to]) => to !== undefined && to !== null)
    .map(([field, to]) => ({ field, from: null, to }));
}
