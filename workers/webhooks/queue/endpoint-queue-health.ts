import type { AttemptDecision } from '../../../shared/deliveries/attempt.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import { closeBreaker, openBreaker } from '../../leased-queues/circuit-breaker.js';

export interface AttemptFacts {
  deliveryId: string;
  /** True for a test or a probe. Both get only one attempt. */
  isSingle: boolean;
  decision: AttemptDecision;
  now: number;
  /** Random number from 0 to 1. */
  random: number;
}

/**
 * Updates the health after an attempt.
 * @returns true if the caller must store the health immediately; false if nothing changed except
 *   the time of the last success
 */
export function applyAttempt(
  health: EndpointQueueHealth,
  { deliveryId, isSingle, decision, now, random }: AttemptFacts,
): boolean {
  if (decision.stop) health.stopReason = decision.stop;
  // If the receiver asked this service to stop, do not count the delivery as exhausted. The account
  // already gets a notice about the stop.
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
