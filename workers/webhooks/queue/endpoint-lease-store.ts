import {
  acquireLeases,
  releaseLeases,
  renewLeases,
} from '../../../shared/deliveries/lease-endpoint-queues.js';
import { type EndpointQueueRef, endpointQueueKey } from '../../../shared/queues/webhooks.js';
import type { LeaseStore } from '../../leased-queues/queue-keeper.js';
import { EndpointQueue } from './endpoint-queue.js';

export const endpointLeaseStore: LeaseStore<EndpointQueueRef, EndpointQueue> = {
  channel: 'tow:webhook-lanes',
  keyOf: endpointQueueKey,
  async acquire(db, leases, takesEnded) {
    const owners = new Map(leases.map(({ owner, ...ref }) => [endpointQueueKey(ref), owner]));
    const results = await acquireLeases(db, leases, takesEnded);
    return results.map(({ tenantId, endpointId, isAcquired, health, version }) => {
      const ref = { tenantId, endpointId };
      const owner = owners.get(endpointQueueKey(ref)) as string;
      return { ref, queue: isAcquired ? new EndpointQueue(ref, owner, health, version) : undefined };
    });
  },
  renew: renewLeases,
  release: releaseLeases,
};
