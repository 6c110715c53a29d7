import { setTimeout as pause } from 'node:timers/promises';
import { HORIZON_SECONDS } from '../../shared/deliveries/find-due-deliveries.js';
import type { OutboundClient } from '../../shared/outbound/client.js';
import { FairQueue } from '../../shared/platform/limits/fair-queue.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { Batcher } from '../../shared/queues/batching/batcher.js';
import {
  type EndpointQueueRef,
  scheduleWakeUps,
  type WakeUp,
  type WebhooksQueue,
  wakeEndpointQueues,
} from '../../shared/queues/webhooks.js';
import { Permits, type Pool } from '../leased-queues/permits.js';
import { QueueKeeper } from '../leased-queues/queue-keeper.js';
import { DueLoader } from './queue/due-loader.js';
import { createConfigLoader } from './queue/endpoint-config.js';
import { endpointLeaseStore } from './queue/endpoint-lease-store.js';
import type { EndpointQueue } from './queue/endpoint-queue.js';
import { InFlightRequests, SLOW_MS } from './queue/in-flight-requests.js';
import { EndpointSender } from './send/endpoint-sender.js';
import { ResultProcessor } from './store/result-processor.js';

/** While a dispatcher must not send, it checks at this interval whether it may send again. */
const STORE_CHECK_MS = 250;
/**
 * Maximum number of results that wait for storage. While more results wait, the dispatcher starts
 * no request.
 */
const MAX_UNSTORED = 2000;
/**
 * Maximum number of wake-ups that wait while the queue is unreachable. Further wake-ups are
 * dropped, and the clock finds their endpoint queues.
 */
const MAX_WAITING_WAKE_UPS = 10_000;
/** How long {@link Dispatcher.close} waits until the last wake-ups are scheduled. */
const WAKE_UPS_CLOSE_MS = 2000;
const POOLS: readonly Pool[] = ['quick', 'slow'];

export interface DispatcherParts {
  queue: WebhooksQueue;
  client: OutboundClient;
}

/**
 * Sends the due deliveries of the endpoint queues that this process has leased. Permits are shared
 * fairly between tenants. An endpoint's recent successes and failures determine how many concurrent
 * requests it gets. No job and no transaction stays open while a request waits for its receiver.
 */
export class Dispatcher {
  private readonly keeper: QueueKeeper<EndpointQueueRef, EndpointQueue>;
  private readonly feeder: DueLoader;
  private readonly results: ResultProcessor;
  private readonly permits: Permits;
  private readonly sender: EndpointSender;
  private readonly ready: Record<Pool, FairQueue<EndpointQueue>> = {
    quick: new FairQueue(),
    slow: new FairQueue(),
  };
  private readonly requests: InFlightRequests;
  private readonly wakeUps: Batcher<WakeUp>;
  private isSendScheduled = false;
  private storeCheckTimer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: DispatcherParts,
  ) {
    const { config } = runtime;
    this.sender = new EndpointSender(runtime, parts.client);
    this.permits = new Permits({ quick: config.webhooksConcurrency, slow: config.webhooksConcurrency });
    this.wakeUps = new Batcher((batch) =>
      scheduleWakeUps(parts.queue, batch).catch((error: unknown) =>
        runtime.logger.warn(
          { err: error, retries: batch.length },
          'cannot schedule retries; the clock will find them',
        ),
      ),
    );
    this.requests = new InFlightRequests(runtime, this.permits, () => this.sendSoon());
    this.results = new ResultProcessor(runtime, {
      onStored: (endpointQueue, retryInMs) => {
        if (retryInMs !== null) this.scheduleWake(endpointQueue.ref, retryInMs);
        this.schedule(endpointQueue);
      },
    });
    this.keeper = new QueueKeeper(runtime, endpointLeaseStore, (endpointQueue) => {
      // Load even if the queue is full or paused, because the endpoint's settings may have changed.
      this.feeder.requestLoad(endpointQueue);
      this.schedule(endpointQueue);
    });
    this.feeder = new DueLoader(runtime, createConfigLoader(runtime), {
      onLoaded: (endpointQueue) => this.schedule(endpointQueue),
      onDueLater: (endpointQueue, inMs) => this.scheduleWake(endpointQueue.ref, inMs),
      onUnsendable: (endpointQueue, delivery) => this.results.cancelUnsendable(endpointQueue, delivery),
    });
  }

  async start(): Promise<void> {
    await this.keeper.start();
    this.requests.start();
  }

  /**
   * Sends the due deliveries of these endpoint queues. If another process has a queue's lease,
   * wakes the queue there.
   */
  wake(refs: EndpointQueueRef[]): Promise<void> {
    return this.keeper.wake(refs);
  }

  countInFlight() {
    return this.permits.countInUse();
  }

  /** Loads more deliveries for an endpoint queue, and schedules its next request. */
  private schedule(endpointQueue: EndpointQueue): void {
    if (this.isClosing || this.keeper.get(endpointQueue.ref) !== endpointQueue) return;
    if (endpointQueue.needsLoad) this.feeder.requestLoad(endpointQueue);
    const inMs = endpointQueue.getReadyInMs();
    if (inMs === 0) {
      this.ready[endpointQueue.pool].push(endpointQueue.ref.tenantId, endpointQueue);
      this.sendSoon();
    } else if (inMs !== undefined) this.scheduleLater(endpointQueue, inMs);
  }

  private scheduleLater(endpointQueue: EndpointQueue, inMs: number): void {
    clearTimeout(endpointQueue.timer);
    // Set no timer for a long pause. The clock wakes the queue after such a pause.
    if (inMs > HORIZON_SECONDS * 1000) return;
    endpointQueue.timer = setTimeout(() => this.schedule(endpointQueue), inMs);
    if (inMs > SLOW_MS) this.scheduleWake(endpointQueue.ref, inMs);
  }

  private scheduleWake(endpointQueue: EndpointQueueRef, inMs: number): void {
    if (inMs > HORIZON_SECONDS * 1000 || this.wakeUps.waiting >= MAX_WAITING_WAKE_UPS) return;
    this.wakeUps.add({ endpointQueue, at: new Date(Date.now() + inMs) });
  }

  private sendSoon(): void {
    if (this.isSendScheduled) return;
    this.isSendScheduled = true;
    setImmediate(() => {
      this.isSendScheduled = false;
      // Clear the timer of an earlier call. Otherwise each call during a wait would add another
      // timer.
      clearTimeout(this.storeCheckTimer);
      if (this.isClosing) return;
      const mustWait = !this.keeper.hasValidLeases || this.results.backlog > MAX_UNSTORED;
      if (mustWait) this.storeCheckTimer = setTimeout(() => this.sendSoon(), STORE_CHECK_MS);
      else for (const pool of POOLS) this.sendFromPool(pool);
    });
  }

  private sendFromPool(pool: Pool): void {
    while (this.permits.hasFreePermit(pool)) {
      const endpointQueue = this.ready[pool].shift((tenantId) => this.permits.canAcquire(pool, tenantId));
      if (!endpointQueue) return;
      if (this.keeper.get(endpointQueue.ref) !== endpointQueue) continue;
      if (endpointQueue.getReadyInMs() === 0) this.sendNext(endpointQueue, pool);
      this.schedule(endpointQueue);
    }
  }

  private sendNext(endpointQueue: EndpointQueue, pool: Pool): void {
    const request = endpointQueue.startNext(pool);
    this.permits.acquire(pool, endpointQueue.ref.tenantId);
    const removeRequest = this.requests.add(endpointQueue, request);
    const endRequest = (handleResult: () => void) => {
      removeRequest();
      this.permits.release(request.pool, endpointQueue.ref.tenantId);
      handleResult();
      this.sendSoon();
    };
    void this.sender.send(endpointQueue, request.delivery).then(
      (attempt) =>
        endRequest(() => {
          this.results.process(endpointQueue, request, attempt);
          this.schedule(endpointQueue);
        }),
      (error: unknown) =>
        endRequest(() => {
          this.sender.postpone(endpointQueue, request, error);
          this.results.recordState(endpointQueue);
          this.schedule(endpointQueue);
        }),
    );
  }

  /** Stops sending, waits for requests in flight, stores their results and releases the leases. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.requests.close(this.runtime.config.webhookTimeoutMs + 1000);
    await this.results.close(5000);
    await Promise.race([this.wakeUps.running, pause(WAKE_UPS_CLOSE_MS, undefined, { ref: false })]);
    const endpointQueues = [...this.keeper.listHeld()];
    for (const endpointQueue of endpointQueues) clearTimeout(endpointQueue.timer);
    const unfinished = endpointQueues.filter(({ hasWork }) => hasWork).map(({ ref }) => ref);
    await this.keeper.close();
    // Wake the queues that have work. Otherwise their work would wait until the clock finds it.
    await wakeEndpointQueues(this.parts.queue, unfinished).catch((error: unknown) =>
      this.runtime.logger.warn(
        { err: error },
        'cannot wake released endpoint queues; the clock will find them',
      ),
    );
  }
}
