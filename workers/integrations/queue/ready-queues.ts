import { FairQueue } from '../../../shared/platform/limits/fair-queue.js';
import type { ConnectionQueue } from './connection-queue.js';
import type { StepOwner } from './step-permits.js';

/**
 * The queues that are ready for a step. Steps start round-robin between vendors, and between the
 * tenants of a vendor. So the waiting queues of one vendor do not delay other vendors.
 */
export class ReadyQueues {
  private readonly byVendor = new Map<string, FairQueue<ConnectionQueue>>();

  /** A queue that already waits keeps its position. */
  push(queue: ConnectionQueue): void {
    const waiting = this.byVendor.get(queue.vendor) ?? new FairQueue<ConnectionQueue>();
    this.byVendor.set(queue.vendor, waiting);
    waiting.push(queue.ref.tenantId, queue);
  }

  /** Removes and returns the next queue that may start a step; undefined if no queue may. */
  shift(canStart: (owner: StepOwner) => boolean): ConnectionQueue | undefined {
    for (const [vendor, waiting] of this.byVendor) {
      const queue = waiting.shift((tenantId) => canStart({ vendor, tenantId }));
      if (!queue) continue;
      // Move the vendor to the end of the round. A Map iterates in insertion order.
      this.byVendor.delete(vendor);
      if (waiting.size > 0) this.byVendor.set(vendor, waiting);
      return queue;
    }
    return undefined;
  }
}
