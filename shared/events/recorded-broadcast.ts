import type { Bus } from '../platform/bus.js';

/**
 * The bus channel for the ids of tenants that have new events. A broadcast only wakes readers,
 * which then query the database. If a broadcast is lost, readers find the events with their next
 * regular query.
 */
const CHANNEL = 'tow:events';

export function broadcastRecordedEvents(bus: Bus, tenantIds: Iterable<string>): Promise<void> {
  return bus.publish(CHANNEL, [...tenantIds].join(','));
}

export function subscribeToRecordedEvents(bus: Bus, listener: (tenantIds: string[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (message) => listener(message.split(',')));
}
