import type { Bus } from '../platform/bus.js';

/**
 * The broadcast only wakes readers, which then query the database. A lost broadcast delays them
 * until their next regular query.
 */
const CHANNEL = 'tow:events';

export function broadcastRecordedEvents(bus: Bus, tenantIds: Iterable<string>): Promise<void> {
  return bus.publish(CHANNEL, [...tenantIds].join(','));
}

export function subscribeToRecordedEvents(bus: Bus, listener: (tenantIds: string[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (message) => listener(message.split(',')));
}
