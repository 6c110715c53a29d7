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

/** How long nothing is sent while the store keeps us waiting, before a new look, in ms. */
const HELD_UP_MS = 250;
/** So many results may wait for their store before nothing new is sent. */
const MAX_UNSTORED = 2000;
/** The time of the last success is stored this often while nothing else changes, in ms. */
const SUCCESS_STORED_MS = 5000;
const POOLS: readonly Pool[] = ['quick', 'slow'];

export interface DispatcherParts {
  queue: WebhooksQueue;
  client: OutboundClient;
}

/**
 * Sends what is due on the lanes of this process. A lane is loaded, waits its turn among the tenants, sends as much at once as its endpoint has earned, and
 * stores what came of it; nothing here holds a job or a transaction while a receiver takes its time.
 */
export class Dispatcher {
  private readonly keeper: LaneKeeper;
  private readonly feeder: Feeder;
  private readonly recorder: Recorder;
  private readonly permits: Permits;
  private readonly sender: LaneSender;
  private readonly ready: Record<Pool, FairQueue<Lane>> = { quick: new FairQueue(), slow: new FairQueue() };
  private readonly flights: Flights;
  private isPumping = false;
  private heldUp: NodeJS.Timeout | undefined;
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: DispatcherParts,
  ) {
    const { db, logger, config } = runtime;
    this.recorder = new Recorder(db, logger);
    this.sender = new LaneSender(runtime, parts.client);
    this.permits = new Permits({ quick: config.webhooksConcurrency, slow: config.webhooksConcurrency });
    this.flights = new Flights(runtime, this.permits, () => this.pumpSoon());
    this.keeper = new LaneKeeper(runtime, {
      onWoken: (lane) => {
        // Even when it has no room or pauses: its endpoint may have been changed.
        this.feeder.ask(lane);
        this.attend(lane);
      },
      onLost: (lane) => {
        clearTimeout(lane.timer);
        lane.backlog = [];
      },
    });
    this.feeder = new Feeder(runtime, createConfigLoader(runtime), {
      onFed: (lane) => this.attend(lane),
      onDueLater: (lane, inMs) => this.wakeLater(lane.ref, inMs),
      onUnsendable: (lane, delivery) => this.giveUp(lane, delivery),
    });
  }

  async start(): Promise<void> {
    await this.keeper.start();
    this.flights.start();
  }

  /** Looks at these lanes, here or wherever they are held. */
  wake(lanes: LaneRef[]): Promise<void> {
    return this.keeper.wake(lanes);
  }

  usage() {
    return this.permits.usage();
  }

  /** Loads more for a lane, lines it up, or sets its alarm. */
  private attend(lane: Lane): void {
    if (this.isClosing || this.keeper.get(lane.ref) !== lane) return;
    if (lane.wantsLook) this.feeder.ask(lane);
    const inMs = lane.readyIn();
    if (inMs === 0) {
      this.ready[lane.pool].push(lane.ref.tenantId, lane);
      this.pumpSoon();
    } else if (inMs !== undefined) this.attendLater(lane, inMs);
  }

  private attendLater(lane: Lane, inMs: number): void {
    clearTimeout(lane.timer);
    // A long pause is no reason to hold the lane; the clock wakes it when it is over.
    if (inMs > HORIZON_SECONDS * 1000) return;
    lane.timer = setTimeout(() => this.attend(lane), inMs);
    if (inMs > SLOW_MS) this.wakeLater(lane.ref, inMs);
  }

  private wakeLater(lane: LaneRef, inMs: number): void {
    if (inMs > HORIZON_SECONDS * 1000) return;
    scheduleWakes(this.parts.queue, [{ lane, at: new Date(Date.now() + inMs) }]).catch((error: unknown) =>
      this.runtime.logger.warn({ err: error }, 'a retry is not scheduled; the clock will find it'),
    );
  }

  private pumpSoon(): void {
    if (this.isPumping) return;
    this.isPumping = true;
    setImmediate(() => {
      this.isPumping = false;
      // One timer for all who ask meanwhile.
      clearTimeout(this.heldUp);
      if (this.isClosing) return;
      const isHeldUp = !this.keeper.isTrusted || this.recorder.backlog > MAX_UNSTORED;
      if (isHeldUp) this.heldUp = setTimeout(() => this.pumpSoon(), HELD_UP_MS);
      else for (const pool of POOLS) this.pump(pool);
    });
  }

  private pump(pool: Pool): void {
    while (this.permits.hasRoom(pool)) {
      const lane = this.ready[pool].shift((tenantId) => this.permits.mayTake(pool, tenantId));
      if (!lane) return;
      if (this.keeper.get(lane.ref) !== lane) continue;
      if (lane.readyIn() === 0) this.launch(lane, pool);
      this.attend(lane);
    }
  }

  private launch(lane: Lane, pool: Pool): void {
    const flight = lane.begin(pool);
    this.permits.take(pool, lane.ref.tenantId);
    const landed = this.flights.add(lane, flight);
    const end = (settle: () => void) => {
      landed();
      this.permits.give(flight.pool, lane.ref.tenantId);
      settle();
      this.pumpSoon();
    };
    void this.sender.send(lane, flight.delivery).then(
      (attempt) => end(() => this.settle(lane, flight, attempt)),
      (error: unknown) =>
        end(() => {
          this.sender.holdBack(lane, flight, error);
          this.attend(lane);
        }),
    );
  }

  private settle(lane: Lane, flight: Flight, attempt: Attempt): void {
    failpoint(this.runtime.config, 'after_sent');
    const { delivery } = flight;
    const decision = decide(
      { status: attempt.status, headers: attempt.responseHeaders ?? {}, errorClass: attempt.errorClass },
      {
        attempts: delivery.attempts + 1,
        isSingle: isSentOnce(delivery.trigger),
        now: new Date(),
        random: Math.random(),
      },
    );
    lane.end(flight, decision.status === 'succeeded');
    // A quick answer says nothing while others of the same endpoint keep us waiting.
    lane.health.isSlow = attempt.totalMs > SLOW_MS || lane.isWaitingSince(performance.now() - SLOW_MS);
    const settled = { delivery, attempt, decision };
    observeAttempt(this.runtime, settled);
    this.record(lane, settled);
  }

  private record(lane: Lane, { delivery, attempt, decision }: SettledAttempt): void {
    const now = Date.now();
    const isNews = noteAttempt(lane.health, {
      deliveryId: delivery.id,
      isSingle: isSentOnce(delivery.trigger),
      decision,
      now,
      random: Math.random(),
    });
    const isStale = now - lane.storedSuccessAt > SUCCESS_STORED_MS || lane.storedSlow !== lane.health.isSlow;
    if (isNews || isStale) {
      lane.storedSuccessAt = now;
      lane.storedSlow = lane.health.isSlow;
    }
    // By the end of a pause it may have been cancelled, or have become less urgent than what came meanwhile.
    if (lane.isPaused) lane.unload();
    this.recorder.add({
      record: { ...lane.ref, deliveryId: delivery.id, number: delivery.attempts + 1, attempt, decision },
      lane: isNews || isStale ? { ...lane.ref, owner: lane.owner, health: { ...lane.health } } : undefined,
      onStored: () => {
        lane.unrecorded.delete(delivery.id);
        if (decision.retryInMs !== null) this.wakeLater(lane.ref, decision.retryInMs);
        this.attend(lane);
      },
    });
    this.attend(lane);
  }

  /** Ends a delivery that cannot be sent: its event is gone. */
  private giveUp(lane: Lane, delivery: DueDelivery): void {
    lane.unrecorded.add(delivery.id);
    this.recorder.add({
      record: {
        ...lane.ref,
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
      onStored: () => lane.unrecorded.delete(delivery.id),
    });
  }

  /** Starts nothing more, waits for what is under way, stores it and gives the lanes back. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.flights.close(this.runtime.config.webhookTimeoutMs + 1000);
    await this.recorder.close(5000);
    const lanes = [...this.keeper.all()];
    for (const lane of lanes) clearTimeout(lane.timer);
    const left = lanes.filter(({ hasWork }) => hasWork).map(({ ref }) => ref);
    await this.keeper.close();
    // Whoever comes next need not wait for the clock.
    await wakeLanes(this.parts.queue, left).catch((error: unknown) =>
      this.runtime.logger.warn({ err: error }, 'lanes not handed over; the clock will find them'),
    );
  }
}
