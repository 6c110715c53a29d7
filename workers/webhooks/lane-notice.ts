import type { Bus } from '../../shared/platform/bus.js';
import type { LaneRef } from '../../shared/queues/webhooks.js';

/** Broadcast between webhooks workers: whoever holds these lanes has new work. One that is lost is made up for when the lease is renewed. */
const CHANNEL = 'tow:webhook-lanes';

export function tellLanes(bus: Bus, lanes: LaneRef[]): Promise<void> {
  return bus.publish(CHANNEL, JSON.stringify(lanes));
}

export function onLanesWoken(bus: Bus, listener: (lanes: LaneRef[]) => void): Promise<void> {
  return bus.subscribe(CHANNEL, (message) => listener(JSON.parse(message) as LaneRef[]));
}
