import type { DueDelivery } from '../../../shared/deliveries/find-due-deliveries.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import { newId } from '../../../shared/platform/ids.js';
import type { EndpointConfig } from '../../../workers/webhooks/queue/endpoint-config.js';
import { EndpointQueue } from '../../../workers/webhooks/queue/endpoint-queue.js';

/** Builds the health of an endpoint that has not received a request yet. */
export function buildQueueHealth(overrides: Partial<EndpointQueueHealth> = {}): EndpointQueueHealth {
  return {
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
    openCount: 0,
    openUntil: null,
    throttledUntil: null,
    isSlow: false,
    stopReason: null,
    exhaustedCount: 0,
    lastExhaustedId: null,
    ...overrides,
  };
}

/**
 * Builds an endpoint queue that has loaded its backlog and found no due delivery. The caller can
 * add deliveries to the backlog.
 */
export function buildEndpointQueue(
  settings: Partial<EndpointConfig> = {},
  health: Partial<EndpointQueueHealth> = {},
): EndpointQueue & { config: EndpointConfig } {
  const ref = { tenantId: newId(), endpointId: newId() };
  const queue = new EndpointQueue(ref, newId(), buildQueueHealth(health), 'v1');
  queue.startLoad();
  queue.endLoad('load_all');
  const config: EndpointConfig = {
    version: 'v1',
    url: 'http://receiver.test/',
    headers: {},
    secrets: [],
    rateLimitPerSecond: null,
    maxInFlight: 20,
    ...settings,
  };
  return Object.assign(queue, { config });
}

export function buildDueDelivery(overrides: Partial<DueDelivery> = {}): DueDelivery {
  return {
    id: newId(),
    eventId: newId(),
    eventType: 'invoice.created',
    trigger: 'event',
    attempts: 0,
    priority: 0,
    body: '{}',
    createdAtMs: Date.now(),
    ...overrides,
  };
}
