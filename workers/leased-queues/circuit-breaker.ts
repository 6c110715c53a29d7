/**
 * Number of consecutive failures that open the circuit breaker. A single delivery or operation
 * fails at most three times before it waits half an hour. So it alone cannot open the breaker
 * before that wait.
 */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
/**
 * A pause is lengthened by up to this fraction. Otherwise all queues for one host would resume
 * together.
 */
const JITTER = 0.2;

/**
 * The state of a queue's circuit breaker, and the end of a pause that the receiver requested. Times
 * are in ms since 1970.
 */
export interface CircuitBreaker {
  consecutiveFailures: number;
  /** Number of times that the breaker has opened since the last success. */
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
 * Counts a failure, and opens the breaker after FAILURES_TO_OPEN failures in a row. In the
 * half-open state, each failure opens the breaker again, for twice as long, up to MAX_PAUSE_MS.
 */
export function openBreaker(breaker: CircuitBreaker, { now, random }: { now: number; random: number }): void {
  breaker.consecutiveFailures += 1;
  const wasHalfOpen = breaker.openCount > 0;
  if (!wasHalfOpen && breaker.consecutiveFailures < FAILURES_TO_OPEN) return;
  // A request that was in flight when the breaker opened must not lengthen the pause.
  if (breaker.openUntil !== null && now < breaker.openUntil) return;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** breaker.openCount, MAX_PAUSE_MS);
  breaker.openCount += 1;
  breaker.openUntil = now + pause * (1 + JITTER * random);
}

/** Returns the end of the current pause, in ms since 1970. Returns 0 if there is no pause. */
export function getPauseEnd({ openUntil, throttledUntil }: CircuitBreaker, now: number): number {
  const pauseEnd = Math.max(openUntil ?? 0, throttledUntil ?? 0);
  return pauseEnd > now ? pauseEnd : 0;
}

/**
 * True from the first opening until a success. After each pause, the queue may then run only one
 * request at a time.
 */
export function isHalfOpen({ openCount }: CircuitBreaker): boolean {
  return openCount > 0;
}
