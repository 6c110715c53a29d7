/** Below this many calls left in the minute, refreshes come only every {@link SLOW_MS}. */
const FEW_LEFT = 40;
/** Refreshes leave these last calls of the minute to what the person does. */
const RESERVED = 20;
const SLOW_MS = 5000;

let left = Number.POSITIVE_INFINITY;
let resetAt = 0;

/** Remembers what a response says about the calls left in the minute (header RateLimit). */
export function readRateLimit({ headers }: Response): void {
  const [, calls, seconds] = /"minute";r=(\d+);t=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? [];
  if (calls === undefined) return;
  left = Number(calls);
  resetAt = Date.now() + Number(seconds) * 1000;
}

/**
 * Returns how long a refresh that nobody clicked should wait, in ms. A busy account could otherwise
 * use up the calls that the person needs.
 */
export function waitForRateLimitMs(): number {
  const untilReset = resetAt - Date.now();
  if (untilReset <= 0 || left >= FEW_LEFT) return 0;
  return left > RESERVED ? Math.min(SLOW_MS, untilReset) : untilReset;
}
