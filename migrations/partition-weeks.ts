/*
 * This file calculates the weeks of the partitions, and the ids (UUIDv7) at their bounds. All times
 * are in UTC and in ms since 1970.
 */

export const DAY_MS = 24 * 3600 * 1000;
export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Returns Monday 00:00 UTC of the week that contains this time. */
export function weekOf(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
}

/** Returns the lowest possible UUIDv7 of this time. */
export function firstIdAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** Returns the time of a UUIDv7 in ms since 1970. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 13).replace('-', ''), 16);
}
