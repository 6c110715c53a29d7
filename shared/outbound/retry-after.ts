/** Longer Retry-After times are shortened to this. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * Returns how many milliseconds the header Retry-After asks to wait. The header contains seconds or
 * a date (RFC 9110, section 10.2.3). Returns 0 if the header is missing or invalid.
 * @param acceptsFraction true if seconds may have decimals, as some vendors send them: `0.40235`
 */
export function parseRetryAfterMs(
  { headers }: { headers: Record<string, string | string[] | undefined> },
  now: Date,
  { acceptsFraction = false } = {},
): number {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  const seconds = acceptsFraction ? /^\d+(\.\d+)?$/ : /^\d+$/;
  const ms = seconds.test(text) ? Math.ceil(Number(text) * 1000) : parseDate(text) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/**
 * Parses a date that ends with a time zone, and returns NaN for any other text. Date.parse alone
 * would accept nearly any text that contains a number.
 */
function parseDate(text: string): number {
  return /( GMT|\dZ)$/i.test(text) ? Date.parse(text) : Number.NaN;
}
