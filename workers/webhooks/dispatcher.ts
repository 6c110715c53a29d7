import { failpoint } from '../../shared/platform/failpoints.js';
import { FairQueue } from '../../shared/platform/fair-queue.js';
import type { OutboundClient } from '../../shared/platform/outbound/client.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import {
  type EndpointQueueRef,
  scheduleWakeUps,
  type WebhooksQueue,
  wakeEndpointQueues,
} from '../../shared/queues/webhooks.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { DueLoader } from './due-loader.js';
import { type DueDelivery, HORIZON_SECONDS } from './due-store.js';
import { createConfigLoader } from './endpoint-config.js';
import type { EndpointQueue, InFlightRequest } from './endpoint-queue.js';
import { applyAttempt } from './endpoint-queue-health.js';
import { EndpointQueueKeeper } from './endpoint-queue-keeper.js';
import { EndpointSender } from './endpoint-sender.js';
import { InFlightRequests, SLOW_MS } from './in-flight-requests.js';
import { type CompletedAttempt, observeAttempt } from './observe-attempt.js';
import { Permits, type Pool } from './permits.js';
import { decideOutcome, isSentOnce } from './retry-policy.js';
import type { Attempt } from './send.js';

/** Pause before the dispatcher checks again whether PostgreSQL has caught up, in ms. */
const STORE_CHECK_MS = 250;
/** The dispatcher starts no request while more results than this wait to be stored. */
const MAX_UNSTORED = 2000;
/**
 * Minimum time between two writes of an endpoint's last success while nothing else changes, in ms.
 */
const SUCCESS_STORE_INTERVAL_MS = 5000;
const POOLS: readonly Pool[] = ['quick', 'slow'];

export interface DispatcherParts {
  queue: WebhooksQueue;
  client: OutboundClient;
}

/**
 * Sends the due deliveries of the endpoint queues that this process holds. The dispatcher loads a
 * queue, shares the permits fairly between tenants, and sends as many concurrent requests as the
 * endpoint's recent successes allow. Then it stores the results. No job and no transaction stays
 * open while a receiver responds.
 */
export class Dispatcher {
  private readonly keeper: EndpointQueueKeeper;
  private readonly feeder: DueLoader;
  private readonly recorder: AttemptRecorder;
  private readonly permits: Permits;
  private readonly sender: EndpointSender;
  private readonly ready: Record<Pool, FairQueue<EndpointQueue>> = {
    quick: new FairQueue(),
    slow: new FairQueue(),
  };
  private readonly requests: InFlightRequests;
  private isSendScheduled = false;
  private storeCheckTimer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: DispatcherParts,
  ) {
    const { db, logger, config } = runtime;
    this.recorder = new AttemptRecorder(db, logger);
    this.sender = new EndpointSender(runtime, parts.client);
    this.permits = new Permits({ quick: config.webhooksConcurrency, slow: config.webhooksConcurrency });
    this.requests = new InFlightRequests(runtime, this.permits, () => this.sendSoon());
    this.keeper = new EndpointQueueKeeper(runtime, {
      onWoken: (endpointQueue) => {
        // Load even if the queue is full or paused: the endpoint's settings may have changed.
        this.feeder.requestLoad(endpointQueue);
        this.schedule(endpointQueue);
      },
      onLost: (endpointQueue) => {
        clearTimeout(endpointQueue.timer);
        endpointQueue.backlog = [];
      },
    });
    this.feeder = new DueLoader(runtime, createConfigLoader(runtime), {
      onLoaded: (endpointQueue) => this.schedule(endpointQueue),
      onDueLater: (endpointQueue, inMs) => this.scheduleWake(endpointQueue.ref, inMs),
      onUnsendable: (endpointQueue, delivery) => this.cancelUnsendable(endpointQueue, delivery),
    });
  }

  async start(): Promise<void> {
    await this.keeper.start();
    this.requests.start();
  }

  /** Checks these endpoint queues for work, in this process or in the one that holds them. */
  wake(refs: EndpointQueueRef[]): Promise<void> {
    return this.keeper.wake(refs);
  }

  countInFlight() {
    return this.permits.countInUse();
  }

  /**
   * Loads more deliveries for an endpoint queue, and schedules its next request or a timer for it.
   */
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
    // The process need not hold the queue during a long pause. The clock wakes the queue when the
    // pause ends.
    if (inMs > HORIZON_SECONDS * 1000) return;
    endpointQueue.timer = setTimeout(() => this.schedule(endpointQueue), inMs);
    if (inMs > SLOW_MS) this.scheduleWake(endpointQueue.ref, inMs);
  }

  private scheduleWake(ref: EndpointQueueRef, inMs: number): void {
    if (inMs > HORIZON_SECONDS * 1000) return;
    scheduleWakeUps(this.parts.queue, [{ endpointQueue: ref, at: new Date(Date.now() + inMs) }]).catch(
      (error: unknown) =>
        this.runtime.logger.warn({ err: error }, 'cannot schedule a retry; the clock will find it'),
    );
  }

  private sendSoon(): void {
    if (this.isSendScheduled) return;
    this.isSendScheduled = true;
    setImmediate(() => {
      this.isSendScheduled = false;
      // One timer serves all callers in the meantime.
      clearTimeout(this.storeCheckTimer);
      if (this.isClosing) return;
      const mustWait = !this.keeper.hasValidLeases || this.recorder.backlog > MAX_UNSTORED;
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
      (attempt) => endRequest(() => this.handleResult(endpointQueue, request, attempt)),
      (error: unknown) =>
        endRequest(() => {
          this.sender.postpone(endpointQueue, request, error);
          this.schedule(endpointQueue);
        }),
    );
  }

  private handleResult(endpointQueue: EndpointQueue, request: InFlightRequest, attempt: Attempt): void {
    failpoint(this.runtime.config, 'after_sent');
    const { delivery } = request;
    const decision = decideOutcome(
      { status: attempt.status, headers: attempt.responseHeaders ?? {}, errorClass: attempt.errorClass },
      {
        attempts: delivery.attempts + 1,
        isSingle: isSentOnce(delivery.trigger),
        now: new Date(),
        random: Math.random(),
      },
    );
    endpointQueue.finish(request, decision.status === 'succeeded');
    // A quick response does not clear the mark while older requests to the endpoint still wait.
    endpointQueue.health.isSlow =
      attempt.totalMs > SLOW_MS || endpointQueue.hasRequestSince(performance.now() - SLOW_MS);
    const completed = { delivery, attempt, decision };
    observeAttempt(this.runtime, completed);
    this.recordAttempt(endpointQueue, completed);
  }

  private recordAttempt(
    endpointQueue: EndpointQueue,
    { delivery, attempt, decision }: CompletedAttempt,
  ): void {
    const now = Date.now();
    const isSignificant = applyAttempt(endpointQueue.health, {
      deliveryId: delivery.id,
      isSingle: isSentOnce(delivery.trigger),
      decision,
      now,
      random: Math.random(),
    });
    const isStale =
      now - endpointQueue.storedLastSuccessAt > SUCCESS_STORE_INTERVAL_MS ||
      endpointQueue.storedIsSlow !== endpointQueue.health.isSlow;
    if (isSignificant || isStale) {
      endpointQueue.storedLastSuccessAt = now;
      endpointQueue.storedIsSlow = endpointQueue.health.isSlow;
    }
    // Unload the deliveries: by the end of the pause a client may have cancelled them, or more
    // urgent ones may have arrived.
    if (endpointQueue.isPaused) endpointQueue.unload();
    this.recorder.add({
      record: {
        ...endpointQueue.ref,
        deliveryId: delivery.id,
        number: delivery.attempts + 1,
        attempt,
        decision,
      },
      queueState:
        isSignificant || isStale
          ? { ...endpointQueue.ref, owner: endpointQueue.owner, health: { ...endpointQueue.health } }
          : undefined,
      onStored: () => {
        endpointQueue.unstoredIds.delete(delivery.id);
        if (decision.retryInMs !== null) this.scheduleWake(endpointQueue.ref, decision.retryInMs);
        this.schedule(endpointQueue);
      },
    });
    this.schedule(endpointQueue);
  }

  /** Cancels a delivery that cannot be sent because its event was deleted. */
  private cancelUnsendable(endpointQueue: EndpointQueue, delivery: DueDelivery): void {
    endpointQueue.unstoredIds.add(delivery.id);
    this.recorder.add({
      record: {
        ...endpointQueue.ref,
        deliveryId: delivery.id,
        number: delivery.attempts,
        attempt: undefined,
        decision: {
          status: 'cancelled',
          errorClass: 'event_expired',
          retryInMs: null,
          stop: null,
          pauseMs: 0,
        },
      },
      queueState: undefined,
      onStored: () => endpointQueue.unstoredIds.delete(delivery.id),
    });
  }

  /**
   * Starts no more requests, waits for those in flight, stores their results and releases the
   * leases.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.requests.close(this.runtime.config.webhookTimeoutMs + 1000);
    await this.recorder.close(5000);
    const endpointQueues = [...this.keeper.listHeld()];
    for (const endpointQueue of endpointQueues) clearTimeout(endpointQueue.timer);
    const unfinished = endpointQueues.filter(({ hasWork }) => hasWork).map(({ ref }) => ref);
    await this.keeper.close();
    // Wake the queues that have work, so that the next worker need not wait for the clock.
    await wakeEndpointQueues(this.parts.queue, unfinished).catch((error: unknown) =>
      this.runtime.logger.warn(
        { err: error },
        'cannot wake released endpoint queues; the clock will find them',
      ),
    );
  }
}
