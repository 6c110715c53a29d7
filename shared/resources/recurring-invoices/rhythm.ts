import type { INVOICE_RHYTHMS } from './vocabulary.js';

export interface Rhythm {
  every: (typeof INVOICE_RHYTHMS)[number];
  /** `YYYY-MM-DD`, like every date in this module. */
  anchor_date: string;
}

const DAY_MS = 86_400_000;
const MONTHS = { month: 1, quarter: 3 } as const;
/** Dates after this year are not supported, because responses show years with four digits. */
const LAST_YEAR = 9999;

/**
 * Returns the first date of a rhythm after a day, or undefined beyond the year 9999. The first date
 * is the anchor. Each date is computed from the anchor, not from the previous date. A rhythm from
 * 31 January therefore continues on 28 February and 31 March. Dates have no time zone, so no clock
 * change can skip or repeat one.
 */
export function findNextDate({ every, anchor_date: anchor }: Rhythm, after: string): string | undefined {
  if (anchor > after) return anchor;
  if (every === 'week') return addDays(anchor, 7 * (Math.floor(countDays(anchor, after) / 7) + 1));
  const step = MONTHS[every];
  const passed = Math.floor((toMonthNumber(after) - toMonthNumber(anchor)) / step) * step;
  const date = addMonths(anchor, passed);
  // `date` lies in the same month as `after`, so it may be earlier or later than `after`.
  return date !== undefined && date > after ? date : addMonths(anchor, passed + step);
}

/** Returns the date `count` months later. If that month has no such day, returns its last day. */
function addMonths(date: string, count: number): string | undefined {
  const number = toMonthNumber(date) + count;
  const year = Math.floor(number / 12);
  const month = (number % 12) + 1;
  if (year > LAST_YEAR) return undefined;
  const day = Math.min(Number(date.slice(8)), countDaysOfMonth(year, month));
  return [pad(year, 4), pad(month, 2), pad(day, 2)].join('-');
}

export function addDays(date: string, count: number): string | undefined {
  const text = new Date(Date.parse(date) + count * DAY_MS).toISOString();
  // toISOString writes years after 9999 with a leading plus sign.
  return text.startsWith('+') ? undefined : text.slice(0, 10);
}

function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

function countDaysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function toMonthNumber(date: string): number {
  return Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
