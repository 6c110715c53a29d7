import { readDay } from '../../contract/books/read-day.js';

/** Parses a time of Xero, such as `/Date(1573755038314+0000)/`: milliseconds in UTC. */
export function parseTime(value: string | undefined): number | undefined {
  const [, ms] = /^\/Date\((-?\d+)(?:[+-]\d{4})?\)\/$/.exec(value ?? '') ?? [];
  if (ms !== undefined) return Number(ms);
  const time = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(value ?? '') ? String(value) : `${value}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns the day of a date of Xero as YYYY-MM-DD; null if it is none. */
export function parseDay(value: string | undefined): string | null {
  const date = new Date(parseTime(value) ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : readDay(date.toISOString().slice(0, 10));
}

/** Returns a time for the header If-Modified-Since, in whole seconds. */
export function toModifiedSince(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** Writes a day, YYYY-MM-DD, as a literal of the filter `where`. */
export function toDateLiteral(day: string): string {
  return `DateTime(${day.split('-').map(Number).join(', ')})`;
}
