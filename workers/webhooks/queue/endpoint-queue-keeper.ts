import {
  acquireLeases,
  type EndpointLease,
  LEASE_SECONDS,
  releaseLeases,
  renewLeases,
} from '../../../shared/deliveries/lease-endpoint-queues.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { type EndpointQueueRef, endpointQueueKey } from '../../../shared/queues/webhooks.js';
import { EndpointQueue } from './endpoint-queue.js';
import { broadcastWake, subscribeToWakes } from './wake-broadcast.js';

/** Interval between lease renewals, in ms. Two renewals may fail before a lease ends. */
const RENEW_MS = 4000;
/**
 * An idle endpoint queue keeps its lease for this long, in ms, so that the next event of a busy
 * endpoint starts immediately.
 */
const IDLE_MS = 3000;
/**
 * The dispatcher stops sending this long after the last renewal, because the leases may have ended.
 */
const TRUSTED_MS = (LEASE_SECONDS - 2) * 1000;

/** Callbacks of the keeper. */
export interface EndpointQueueListener {
  /** The endpoint queue may have work. */
  onWoken(endpointQueue: EndpointQueue): void;
}

/**
 * The endpoint queues that this process holds: acquires their leases, renews them while the queues
 * are busy, and releases them.
 */
export class EndpointQueueKeeper {
  private readonly held = new Map<string, EndpointQueue>();
  private timer: NodeJS.Timeout | undefined;
  private renewedAt = performance.now();
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly listener: EndpointQueueListener,
  ) {}

  async start(): Promise<void> {
    await subscribeToWakes(this.runtime.bus, (refs) => {
      for (const ref of refs) this.wakeHeld(ref);
    });
    this.timer = setInterval(() => void this.renewOrRelease(), RENEW_MS / 4);
  }

  /** False while a lease may have ended because PostgreSQL did not answer for too long. */
  get hasValidLeases(): boolean {
    return performance.now() - this.renewedAt < TRUSTED_MS;
  }

  get(ref: EndpointQueueRef): EndpointQueue | undefined {
    return this.held.get(endpointQueueKey(ref));
  }

  listHeld(): Iterable<EndpointQueue> {
    return this.held.values();
  }

  /**
   * Acquires the leases of endpoint queues, or wakes their holders. Rejects when PostgreSQL is
   * unreachable.
   */
  async wake(refs: EndpointQueueRef[]): Promise<void> {
    const notHeld = refs.filter((ref) => !this.wakeHeld(ref));
    if (notHeld.length === 0 || this.isClosing) return;
    const requested = new Map(notHeld.map((ref) => [endpointQueueKey(ref), { ...ref, owner: newId() }]));
    // With no lease held, no renewal was due, and the lease acquired now is fresh.
    if (this.held.size === 0) this.renewedAt = performance.now();
    const results = await acquireLeases(this.runtime.db, [...requested.values()]);
    const heldElsewhere: EndpointQueueRef[] = [];
    for (const { tenantId, endpointId, isAcquired, health, version } of results) {
      const ref = { tenantId, endpointId };
      if (isAcquired)
        this.add(
          new EndpointQueue(ref, requested.get(endpointQueueKey(ref))?.owner as string, health, version),
        );
      // If two wake-ups ran concurrently, the first one added it meanwhile.
      else if (!this.wakeHeld(ref)) heldElsewhere.push(ref);
    }
    if (heldElsewhere.length > 0) await broadcastWake(this.runtime.bus, heldElsewhere);
  }

  private add(endpointQueue: EndpointQueue): void {
    this.held.set(endpointQueueKey(endpointQueue.ref), endpointQueue);
    this.listener.onWoken(endpointQueue);
  }

  private wakeHeld(ref: EndpointQueueRef): boolean {
    const endpointQueue = this.get(ref);
    if (!endpointQueue) return false;
    endpointQueue.wake();
    this.listener.onWoken(endpointQueue);
    return true;
  }

  /** Releases idle endpoint queues, and renews the other leases when due. */
  private async renewOrRelease(): Promise<void> {
    const now = performance.now();
    const idle = [...this.held.values()].filter(
      (endpointQueue) => endpointQueue.isIdle && now - endpointQueue.busyAt > IDLE_MS,
    );
    try {
      await this.release(idle);
      if (now - this.renewedAt >= RENEW_MS) await this.renew();
    } catch (error) {
      this.runtime.logger.warn(
        { err: error, endpoints: this.held.size },
        'cannot renew the leases of endpoint queues; retrying',
      );
    }
  }

  private async renew(): Promise<void> {
    const requested = [...this.held.values()];
    const startedAt = performance.now();
    const renewed = new Map(
      requested.length > 0
        ? (await renewLeases(this.runtime.db, requested.map(buildLease))).map((renewal) => [
            endpointQueueKey(renewal),
            renewal,
          ])
        : [],
    );
    this.renewedAt = startedAt;
    for (const endpointQueue of requested) {
      const renewal = renewed.get(endpointQueueKey(endpointQueue.ref));
      if (!renewal) this.removeHeld(endpointQueue);
      else if (renewal.isWoken) this.wakeHeld(endpointQueue.ref);
    }
  }

  private removeHeld(endpointQueue: EndpointQueue): void {
    if (this.held.get(endpointQueueKey(endpointQueue.ref)) !== endpointQueue) return;
    this.held.delete(endpointQueueKey(endpointQueue.ref));
    endpointQueue.lose();
  }

  private async release(endpointQueues: EndpointQueue[]): Promise<void> {
    if (endpointQueues.length === 0) return;
    // Remove them from the map first, so that a wake-up from now on acquires a new lease.
    for (const endpointQueue of endpointQueues) this.removeHeld(endpointQueue);
    const wokenMeanwhile = await releaseLeases(this.runtime.db, endpointQueues.map(buildLease));
    if (wokenMeanwhile.length > 0) await this.wake(wokenMeanwhile);
  }

  /**
   * Stops acquiring and renewing leases, and releases all leases. Call it when no request is in
   * flight.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.release([...this.held.values()]);
  }
}

function buildLease({ ref, owner }: EndpointQueue): EndpointLease {
  return { ...ref, owner };
}
