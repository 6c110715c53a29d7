import { failpoint } from '../../shared/platform/failpoints.js';
import { FairQueue } from '../../shared/platform/fair-queue.js';
import type { OutboundClient } from '../../shared/platform/outbound/client.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type LaneRef, scheduleWakes, type WebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import { type DueDelivery, HORIZON_SECONDS } from './due-store.js';
import { createConfigLoader } from './endpoint-config.js';
import { Feeder } from './feeder.js';
import { Flights, SLOW_MS } from './flights.js';
import type { Flight, Lane } from './lane.js';
import { noteAttempt } from './lane-health.js';
import { LaneKeeper } from './lane-keeper.js';
import { LaneSender } from './lane-sender.js';
import { observeAttempt, type SettledAttempt } from './observe-attempt.js';
import { Permits, type Pool } from './permits.js';
import { Recorder } from './recorder.js';
import { decide, isSentOnce } from './retry-policy.js';
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
  private readonly keeper: LaneKeeper;
  private readonly feeder: Feeder;
  private readonly recorder: Recorder;
  private readonly permits: Permits;
  private readonly sender: LaneSender;
  private readonly ready: Record<Pool, FairQueue<Lane>> = { quick: new FairQueue(), slow: new FairQueue() };
  private readonly requests: Flights;
  private isSendScheduled = false;
  private storeCheckTimer: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: DispatcherParts,
  ) {
    const { db, logger, config } = runtime;
    this.recorder = new Recorder(db, logger);
    this.sender = new LaneSender(runtime, parts.client);
    this.permits = new Permits({ quick: config.webhooksConcurrency, slow: config.webhooksConcurrency });
    this.requests = new Flights(runtime, this.permits, () => this.sendSoon());
    this.keeper = new LaneKeeper(runtime, {
      onWoken: (endpointQueue) => {
        // Load even if the queue is full or paused: the endpoint's settings may have changed.
        this.feeder.ask(endpointQueue);
        this.schedule(endpointQueue);
      },
      onLost: (endpointQueue) => {
        clearTimeout(endpointQueue.timer);
        endpointQueue.backlog = [];
      },
    });
    this.feeder = new Feeder(runtime, createConfigLoader(runtime), {
      onFed: (endpointQueue) => this.schedule(endpointQueue),
      onDueLater: (endpointQueue, inMs) => this.scheduleWake(endpointQueue.ref, inMs),
      onUnsendable: (endpointQueue, delivery) => this.cancelUnsendable(endpointQueue, delivery),
    });
  }

  async start(): Promise<void> {
    await this.keeper.start();
    this.requests.start();
  }

  /** Checks these endpoint queues for work, in this process or in the one that holds them. */
  wake(refs: LaneRef[]): Promise<void> {
    return this.keeper.wake(refs);
  }

  usage() {
    return this.permits.usage();
  }

  /**
   * Loads more deliveries for an endpoint queue, and schedules its next request or a timer for it.
   */
  private schedule(endpointQueue: Lane): void {
    if (this.isClosing || this.keeper.get(endpointQueue.ref) !== endpointQueue) return;
    if (endpointQueue.wantsLook) this.feeder.ask(endpointQueue);
    const inMs = endpointQueue.readyIn();
    if (inMs === 0) {
      this.ready[endpointQueue.pool].push(endpointQueue.ref.tenantId, endpointQueue);
      this.sendSoon();
    } else if (inMs !== undefined) this.scheduleLater(endpointQueue, inMs);
  }

  private scheduleLater(endpointQueue: Lane, inMs: number): void {
    clearTimeout(endpointQueue.timer);
    // The process need not hold the queue during a long pause. The clock wakes the queue when the
    // pause ends.
    if (inMs > HORIZON_SECONDS * 1000) return;
    endpointQueue.timer = setTimeout(() => this.schedule(endpointQueue), inMs);
    if (inMs > SLOW_MS) this.scheduleWake(endpointQueue.ref, inMs);
  }

  private scheduleWake(ref: LaneRef, inMs: number): void {
    if (inMs > HORIZON_SECONDS * 1000) return;
    scheduleWakes(this.parts.queue, [{ lane: ref, at: new Date(Date.now() + inMs) }]).catch(
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
      const mustWait = !this.keeper.isTrusted || this.recorder.backlog > MAX_UNSTORED;
      if (mustWait) this.storeCheckTimer = setTimeout(() => this.sendSoon(), STORE_CHECK_MS);
      else for (const pool of POOLS) this.sendFromPool(pool);
    });
  }

  private sendFromPool(pool: Pool): void {
    while (this.permits.hasRoom(pool)) {
      const endpointQueue = this.ready[pool].shift((tenantId) => this.permits.mayTake(pool, tenantId));
      if (!endpointQueue) return;
      if (this.keeper.get(endpointQueue.ref) !== endpointQueue) continue;
      if (endpointQueue.readyIn() === 0) this.sendNext(endpointQueue, pool);
      this.schedule(endpointQueue);
    }
  }

  private sendNext(endpointQueue: Lane, pool: Pool): void {
    const request = endpointQueue.begin(pool);
    this.permits.take(pool, endpointQueue.ref.tenantId);
    const removeRequest = this.requests.add(endpointQueue, request);
    const endRequest = (handleResult: () => void) => {
      removeRequest();
      this.permits.give(request.pool, endpointQueue.ref.tenantId);
      handleResult();
      this.sendSoon();
    };
    void this.sender.send(endpointQueue, request.delivery).then(
      (attempt) => endRequest(() => this.handleResult(endpointQueue, request, attempt)),
      (error: unknown) =>
        endRequest(() => {
          this.sender.holdBack(endpointQueue, request, error);
          this.schedule(endpointQueue);
        }),
    );
  }

  private handleResult(endpointQueue: Lane, request: Flight, attempt: Attempt): void {
    failpoint(this.runtime.config, 'after_sent');
    const { delivery } = request;
    const decision = decide(
      { status: attempt.status, headers: attempt.responseHeaders ?? {}, errorClass: attempt.errorClass },
      {
        attempts: delivery.attempts + 1,
        isSingle: isSentOnce(delivery.trigger),
        now: new Date(),
        random: Math.random(),
      },
    );
    endpointQueue.end(request, decision.status === 'succeeded');
    // A quick response does not clear the mark while older requests to the endpoint still wait.
    endpointQueue.health.isSlow =
      attempt.totalMs > SLOW_MS || endpointQueue.isWaitingSince(performance.now() - SLOW_MS);
    const completed = { delivery, attempt, decision };
    observeAttempt(this.runtime, completed);
    this.recordAttempt(endpointQueue, completed);
  }

  private recordAttempt(endpointQueue: Lane, { delivery, attempt, decision }: SettledAttempt): void {
    const now = Date.now();
    const isSignificant = noteAttempt(endpointQueue.health, {
      deliveryId: delivery.id,
      isSingle: isSentOnce(delivery.trigger),
      decision,
      now,
      random: Math.random(),
    });
    const isStale =
      now - endpointQueue.storedSuccessAt > SUCCESS_STORE_INTERVAL_MS ||
      endpointQueue.storedSlow !== endpointQueue.health.isSlow;
    if (isSignificant || isStale) {
      endpointQueue.storedSuccessAt = now;
      endpointQueue.storedSlow = endpointQueue.health.isSlow;
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
      lane:
        isSignificant || isStale
          ? { ...endpointQueue.ref, owner: endpointQueue.owner, health: { ...endpointQueue.health } }
          : undefined,
      onStored: () => {
        endpointQueue.unrecorded.delete(delivery.id);
        if (decision.retryInMs !== null) this.scheduleWake(endpointQueue.ref, decision.retryInMs);
        this.schedule(endpointQueue);
      },
    });
    this.schedule(endpointQueue);
  }

  /** Cancels a delivery that cannot be sent because its event was deleted. */
  private cancelUnsendable(endpointQueue: Lane, delivery: DueDelivery): void {
    endpointQueue.unrecorded.add(delivery.id);
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
      lane: undefined,
      onStored: () => endpointQueue.unrecorded.delete(delivery.id),
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
    const endpointQueues = [...this.keeper.all()];
    for (const endpointQueue of endpointQueues) clearTimeout(endpointQueue.timer);
    const unfinished = endpointQueues.filter(({ hasWork }) => hasWork).map(({ ref }) => ref);
    await this.keeper.close();
    // Wake the queues that have work, so that the next worker need not wait for the clock.
    await wakeLanes(this.parts.queue, unfinished).catch((error: unknown) =>
      this.runtime.logger.warn(
        { err: error },
        'cannot wake released endpoint queues; the clock will find them',
      ),
    );
  }
}
