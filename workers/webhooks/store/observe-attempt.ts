import type { Attempt, AttemptDecision } from '../../../shared/deliveries/attempt.js';
import type { DueDelivery } from '../../../shared/deliveries/find-due-deliveries.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';

export interface CompletedAttempt {
  delivery: DueDelivery;
  attempt: Attempt;
  decision: AttemptDecision;
}

export function observeAttempt(
  { metrics, logger }: Pick<Runtime, 'metrics' | 'logger'>,
  { delivery, attempt, decision }: CompletedAttempt,
): void {
  metrics.webhookAttempts.inc({ outcome: decision.status });
  if (delivery.attempts === 0 && delivery.trigger === 'event')
    metrics.webhookLagSeconds.observe(Math.max(0, attempt.startedAt.getTime() - delivery.createdAtMs) / 1000);
  logger.debug(
    {
      deliveryId: delivery.id,
      eventType: delivery.eventType,
      attempt: delivery.attempts + 1,
      status: attempt.status,
      outcome: decision.status,
      reason: decision.errorClass,
      ms: Math.round(attempt.totalMs),
    },
    'webhook attempt',
  );
}
