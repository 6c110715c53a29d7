import type { Bus } from '../platform/bus.js';

/**
 * Broadcast: events of these tenants have been committed. It only wakes readers, who ask the database what there is; one that is lost costs them the
 * time to their next look.
 */
const CHANNEL = 'tow:events';

export function tellRecorded(bus: Bus, tenantIds: Iterable<string>): Promise<void> {
  return bus.publish(CHANNEL, [...tenantIds].join(','));
}

export function onRecorded(bus: Bus, listener: (tenantIds: string[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (message) => listener(message.split(',')));
}
