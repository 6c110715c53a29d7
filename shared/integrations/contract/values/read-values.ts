import { toStorableText } from '../../../platform/storable-text.js';

/** A record as a vendor sent it. Nothing is known of its members. */
export type Unread<T> = Partial<Record<keyof T, unknown>>;

/** Vendors' ids are numbers or UUIDs. A longer one is no id, and an index could not store it. */
const MAX_ID_CHARS = 100;
/** A time before this one is no time of this service's records. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
/** A time that is further ahead is wrong, and PostgreSQL refuses some of them. */
const MAX_AHEAD_MS = 366 * 86_400_000;

/** Returns the id of a record, or undefined if the vendor sent none that can be stored. */
export function readId(value: unknown): string | undefined {
  // A larger number has lost digits, so it may be the id of another record.
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && /^[\x21-\x7e]+$/.test(id) && id.length <= MAX_ID_CHARS ? id : undefined;
}

/**
 * Returns a trimmed text of at most `maxChars`, or null if there is none. Leaves out the control
 * characters that the API accepts from no one.
 */
export function readText(value: unknown, maxChars: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replace(/(?![\n\r\t])\p{Cc}/gu, '').trim();
  return toStorableText(text.slice(0, maxChars)) || null;
}

/** Returns a text as {@link readText} does, in one line. */
export function readLine(value: unknown, maxChars: number): string | null {
  return readText(typeof value === 'string' ? value.replace(/\s+/g, ' ') : value, maxChars);
}

/** Returns a time as RFC 3339 in UTC, or null if the vendor sent none that can be true. */
export function readTime(value: unknown): string | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at >= EARLIEST_MS && at <= Date.now() + MAX_AHEAD_MS ? new Date(at).toISOString() : null;
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
