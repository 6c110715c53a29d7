import { newId } from '../../shared/platform/ids.js';
import type { DueDelivery } from '../../workers/webhooks/due-store.js';
import type { EndpointConfig } from '../../workers/webhooks/endpoint-config.js';
import { Lane } from '../../workers/webhooks/lane.js';
import type { LaneHealth } from '../../workers/webhooks/lane-health.js';

/** The health of an endpoint that got no request yet. */
export function newHealth(overrides: Partial<LaneHealth> = {}): LaneHealth {
  return {
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    lastError: null,
    opened: 0,
    openUntil: null,
    throttledUntil: null,
    isSlow: false,
    stopReason: null,
    exhaustedCount: 0,
    lastExhaustedId: null,
    ...overrides,
  };
}

/** An endpoint queue that is loaded and up to date. */
export function newLane(
  settings: Partial<EndpointConfig> = {},
  health: Partial<LaneHealth> = {},
): Lane & { config: EndpointConfig } {
  const ref = { tenantId: newId(), endpointId: newId() };
  const queue = new Lane(ref, newId(), newHealth(health), 'v1');
  queue.isDirty = false;
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

export function dueDelivery(overrides: Partial<DueDelivery> = {}): DueDelivery {
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
