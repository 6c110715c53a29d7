/** Maximum Retry-After that the service honours. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Parses Retry-After, in seconds or as a date (RFC 9110, section 10.2.3); 0 without a valid value.
 */
export function parseRetryAfterMs(
  { headers }: { headers: Record<string, string | string[] | undefined> },
  now: Date,
): number {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseDate(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/**
 * Parses a date; NaN without a time zone. Date.parse accepts nearly any text that contains a
 * number.
 */
function parseDate(text: string): number {
  return /( GMT|\dZ)$/i.test(text) ? Date.parse(text) : Number.NaN;
}
