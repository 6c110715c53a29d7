import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import { closeBreaker, openBreaker } from '../../leased-queues/circuit-breaker.js';

export interface AttemptFacts {
  deliveryId: string;
  /** A test or a probe gets only one attempt, and its sender checks the result. */
  isSingle: boolean;
  decision: AttemptDecision;
  now: number;
  /** From 0 to 1. */
  random: number;
}

/**
 * Updates the health after an attempt. Returns true if more than the time of the last success
 * changed, because the caller then stores the health immediately.
 */
export function applyAttempt(
  health: EndpointQueueHealth,
  { deliveryId, isSingle, decision, now, random }: AttemptFacts,
): boolean {
  if (decision.stop) health.stopReason = decision.stop;
  // A stop that the receiver requested has its own notice, so it does not count as exhausted.
  if (decision.status === 'exhausted' && decision.stop === null && !isSingle) {
    health.exhaustedCount += 1;
    health.lastExhaustedId = deliveryId;
  }
  if (decision.pauseMs > 0)
    health.throttledUntil = Math.max(health.throttledUntil ?? 0, now + decision.pauseMs);
  if (decision.status === 'succeeded') return applySuccess(health, now) || decision.stop !== null;
  // The receiver refused only this delivery, so the endpoint neither succeeded nor failed.
  if (decision.status === 'cancelled') return decision.stop !== null;
  health.failingSince ??= now;
  health.lastFailureAt = now;
  health.lastError = decision.errorClass;
  openBreaker(health, { now, random });
  return true;
}

function applySuccess(health: EndpointQueueHealth, now: number): boolean {
  const hadFailures = health.consecutiveFailures > 0 || health.failingSince !== null || health.openCount > 0;
  const isFirst = health.lastSuccessAt === null;
  closeBreaker(health);
  health.failingSince = null;
  health.lastSuccessAt = now;
  return hadFailures || isFirst;
}
