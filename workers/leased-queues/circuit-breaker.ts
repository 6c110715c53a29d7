/**
 * Consecutive failures that open the circuit breaker: more than one delivery or operation alone
 * can have before it waits half an hour.
 */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
/**
 * Jitter lengthens a pause by up to this fraction, so that queues of one host do not resume
 * together.
 */
const JITTER = 0.2;

/**
 * The circuit breaker of a queue, and a pause that the receiver asked for. Times are of Date.now().
 */
export interface CircuitBreaker {
  consecutiveFailures: number;
  /** How often it opened since the last success. */
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
 * Counts a failure, and opens the circuit breaker after several consecutive ones. In the half-open
 * state, each failed request opens it again for twice as long.
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

/** Returns the time until which nothing may be sent; 0: no pause. */
export function getPauseEnd({ openUntil, throttledUntil }: CircuitBreaker, now: number): number {
  const pauseEnd = Math.max(openUntil ?? 0, throttledUntil ?? 0);
  return pauseEnd > now ? pauseEnd : 0;
}

/**
 * True after the breaker's pause until a request succeeds. Only one request at a time is allowed
 * then.
 */
export function isHalfOpen({ openCount }: CircuitBreaker): boolean {
  return openCount > 0;
}
