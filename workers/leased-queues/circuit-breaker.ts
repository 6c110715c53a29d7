/**
 * Failures in a row that open the circuit breaker. One delivery or operation alone fails at most
 * three times before it waits half an hour.
 */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
/** Lengthens a pause by up to this fraction, so that queues of one host do not resume together. */
const JITTER = 0.2;

/** A queue's circuit breaker, and a pause that its receiver requested. In ms since 1970. */
export interface CircuitBreaker {
  consecutiveFailures: number;
  /** Since the last success. */
  openCount: number;
  openUntil: number | null;
  throttledUntil: number | null;
}

export function closeBreaker(breaker: CircuitBreaker): void {
  breaker.consecutiveFailures = 0;
  breaker.openCount = 0;
  breaker.openUntil = null;
}

/**
 * Counts a failure, and opens the breaker after several in a row. In the half-open state, every
 * failure opens it again, for twice as long.
 */
export function openBreaker(breaker: CircuitBreaker, { now, random }: { now: number; random: number }): void {
  breaker.consecutiveFailures += 1;
  const wasHalfOpen = breaker.openCount > 0;
  if (!wasHalfOpen && breaker.consecutiveFailures < FAILURES_TO_OPEN) return;
  // Requests that were in flight when the breaker opened do not count again.
  if (breaker.openUntil !== null && now < breaker.openUntil) return;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** breaker.openCount, MAX_PAUSE_MS);
  breaker.openCount += 1;
  breaker.openUntil = now + pause * (1 + JITTER * random);
}

/** Returns the time until which nothing may be sent; 0 if there is no pause. */
export function getPauseEnd({ openUntil, throttledUntil }: CircuitBreaker, now: number): number {
  const pauseEnd = Math.max(openUntil ?? 0, throttledUntil ?? 0);
  return pauseEnd > now ? pauseEnd : 0;
}

/** True from the end of a pause until a success. Only one request at a time may run then. */
export function isHalfOpen({ openCount }: CircuitBreaker): boolean {
  return openCount > 0;
}
