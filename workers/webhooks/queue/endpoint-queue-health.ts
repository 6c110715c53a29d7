import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';

/**
 * Consecutive failures that open the circuit breaker: more than one delivery alone can have before
 * it waits half an hour.
 */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
/**
 * Jitter lengthens a pause by up to this fraction, so that endpoints of one host do not resume
 * together.
 */
const JITTER = 0.2;

export interface AttemptFacts {
  deliveryId: string;
  /** A test or a probe: it gets one attempt, and its sender checks the result. */
  isSingle: boolean;
  decision: AttemptDecision;
  now: number;
  /** From 0 to 1. */
  random: number;
}

/**
 * Updates the health with the result of an attempt. Returns whether more changed than the time of
 * the last success; the caller stores such a change immediately.
 */
export function applyAttempt(
  health: EndpointQueueHealth,
  { deliveryId, isSingle, decision, now, random }: AttemptFacts,
): boolean {
  if (decision.stop) health.stopReason = decision.stop;
  // Exhausted deliveries get their own notice. If the receiver asked to stop, another notice
  // reports that.
  if (decision.status === 'exhausted' && decision.stop === null && !isSingle) {
    health.exhaustedCount += 1;
    health.lastExhaustedId = deliveryId;
  }
  if (decision.pauseMs > 0)
    health.throttledUntil = Math.max(health.throttledUntil ?? 0, now + decision.pauseMs);
  if (decision.status === 'succeeded') return applySuccess(health, now) || decision.stop !== null;
  // The receiver refused this delivery only: neither a success nor a failure of the endpoint.
  if (decision.status === 'cancelled') return decision.stop !== null;
  health.consecutiveFailures += 1;
  health.failingSince ??= now;
  health.lastFailureAt = now;
  health.lastError = decision.errorClass;
  openBreaker(health, { now, random });
  return true;
}

function applySuccess(health: EndpointQueueHealth, now: number): boolean {
  const hadFailures = health.consecutiveFailures > 0 || health.failingSince !== null || health.openCount > 0;
  const isFirst = health.lastSuccessAt === null;
  health.consecutiveFailures = 0;
  health.failingSince = null;
  health.openCount = 0;
  health.openUntil = null;
  health.lastSuccessAt = now;
  return hadFailures || isFirst;
}

/**
 * Opens the circuit breaker after several consecutive failures. In the half-open state, each failed
 * request opens it again for twice as long.
 */
function openBreaker(health: EndpointQueueHealth, { now, random }: { now: number; random: number }): void {
  const wasHalfOpen = health.openCount > 0;
  if (!wasHalfOpen && health.consecutiveFailures < FAILURES_TO_OPEN) return;
  // Requests that were in flight when the breaker opened do not count again.
  if (health.openUntil !== null && now < health.openUntil) return;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** health.openCount, MAX_PAUSE_MS);
  health.openCount += 1;
  health.openUntil = now + pause * (1 + JITTER * random);
}

/** Returns the time until which nothing may be sent; 0: no pause. */
export function getPauseEnd({ openUntil, throttledUntil }: EndpointQueueHealth, now: number): number {
  const pauseEnd = Math.max(openUntil ?? 0, throttledUntil ?? 0);
  return pauseEnd > now ? pauseEnd : 0;
}

/**
 * True after the breaker's pause until a request succeeds. Only one request at a time is allowed
 * then.
 */
export function isHalfOpen({ openCount }: EndpointQueueHealth): boolean {
  return openCount > 0;
}
