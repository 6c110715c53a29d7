import type { Bus } from '../../../shared/platform/bus.js';
import type { EndpointQueueRef } from '../../../shared/queues/webhooks.js';

/**
 * Broadcast between webhooks workers: wakes the process that holds an endpoint queue. A lost
 * broadcast delays the wake-up until the lease is renewed.
 */
const CHANNEL = 'tow:webhook-lanes';

export function broadcastWake(bus: Bus, refs: EndpointQueueRef[]): Promise<void> {
  return bus.publish(CHANNEL, JSON.stringify(refs));
}

export function subscribeToWakes(bus: Bus, listener: (refs: EndpointQueueRef[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (payload) => listener(JSON.parse(payload) as EndpointQueueRef[]));
}
