import type { Bus } from '../platform/bus.js';

/**
 * The bus channel for the ids of tenants that have new events, or records that have changed without
 * one. A broadcast only wakes readers,
 * which then query the database. If a broadcast is lost, readers find the changes with their next
 * regular query.
 */
const CHANNEL = 'tow:events';

/** The bus channel for the ids of tenants whose trucks have moved. No event tells of that. */
const MOVES_CHANNEL = 'tow:moved-trucks';

export function broadcastRecordedEvents(bus: Bus, tenantIds: Iterable<string>): Promise<void> {
  return bus.publish(CHANNEL, [...tenantIds].join(','));
}

export function subscribeToRecordedEvents(bus: Bus, listener: (tenantIds: string[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (message) => listener(message.split(',')));
}

export function broadcastMovedTrucks(bus: Bus, tenantId: string): Promise<void> {
  return bus.publish(MOVES_CHANNEL, tenantId);
}

export function subscribeToMovedTrucks(bus: Bus, listener: (tenantId: string) => void): Promise<void> {
  return bus.subscribe(MOVES_CHANNEL, listener);
}
