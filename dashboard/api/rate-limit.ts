/** If fewer calls than this are left in the minute, refreshes run only every {@link SLOW_MS}. */
const FEW_LEFT = 40;
/** Refreshes never use these last calls of the minute. They are for the person's own actions. */
const RESERVED = 20;
const SLOW_MS = 5000;

let left = Number.POSITIVE_INFINITY;
let resetAt = 0;

/** Remembers how many calls are left in the minute, from the header RateLimit of a response. */
export function readRateLimit({ headers }: Response): void {
  const [, calls, seconds] = /"minute";r=(\d+);t=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? [];
  if (calls === undefined) return;
  left = Number(calls);
  resetAt = Date.now() + Number(seconds) * 1000;
}

/**
 * Returns how long an automatic refresh must wait, in ms. Without this wait, the refreshes of a
 * busy account could use up the calls that the person needs.
 */
export function waitForRateLimitMs(): number {
  const untilReset = resetAt - Date.now();
  if (untilReset <= 0 || left >= FEW_LEFT) return 0;
  return left > RESERVED ? Math.min(SLOW_MS, untilReset) : untilReset;
}
