import type { DueDelivery, DueRequest } from '../../../shared/deliveries/find-due-deliveries.js';
import type { EndpointQueueHealth } from '../../../shared/deliveries/queue-health.js';
import type { EndpointQueueState } from '../../../shared/deliveries/store-queue-health.js';
import type { EndpointQueueRef } from '../../../shared/queues/webhooks.js';
import { getPauseEnd, isHalfOpen } from '../../leased-queues/circuit-breaker.js';
import type { Pool } from '../../leased-queues/permits.js';
import type { EndpointConfig } from './endpoint-config.js';
import {
  isBehind,
  isCancelling,
  type LoadResult,
  mayHoldCancelled,
  nextMode,
  type QueueEvent,
  type QueueMode,
} from './queue-mode.js';

/**
 * The limit of concurrent requests at first. Each success adds one to the limit, and each failure
 * halves it.
 */
const INITIAL_WINDOW = 2;
/**
 * Maximum number of loaded deliveries per endpoint, besides those in flight. It is low, because
 * bodies may be large.
 */
const MAX_BACKLOG = 32;
/**
 * If only the time of the last success changes, this process stores the new time at most once per
 * interval.
 */
const SUCCESS_STORE_INTERVAL_MS = 5000;

export interface InFlightRequest {
  delivery: DueDelivery;
  startedAt: number;
  pool: Pool;
}

/**
 * An endpoint queue that this process has leased, with its loaded deliveries, requests and limits.
 */
export class EndpointQueue {
  config: EndpointConfig | undefined;
  backlog: DueDelivery[] = [];
  readonly inFlight = new Map<string, InFlightRequest>();
  readonly unstoredIds = new Set<string>();
  /** The time at which the queue last had work, by performance.now(). */
  busyAt = performance.now();
  timer: NodeJS.Timeout | undefined;
  private currentMode: QueueMode = 'behind';
  /** The time of the latest success that this process wrote to webhook_lanes, in ms since 1970. */
  private storedLastSuccessAt = 0;
  private storedIsSlow: boolean;
  private window = INITIAL_WINDOW;
  private nextSlotAt = 0;

  constructor(
    readonly ref: EndpointQueueRef,
    readonly owner: string,
    public health: EndpointQueueHealth,
    /** The endpoint's `updated_at`, read before `health` or together with `health`. */
    public healthVersion: string,
  ) {
    this.storedIsSlow = health.isSlow;
  }

  get mode(): QueueMode {
    return this.currentMode;
  }

  /**
   * Call this when the queue may have new deliveries, and when a client may have cancelled loaded
   * deliveries.
   */
  wake(): void {
    this.apply('wake');
    this.busyAt = performance.now();
  }

  /**
   * Returns the facts that a query for due deliveries needs about this queue. Call this before the
   * query. Otherwise a wake-up during the query could be lost.
   */
  startLoad(): DueRequest {
    const doubtful = mayHoldCancelled(this.mode) ? this.backlog.map(({ id }) => id) : [];
    this.apply('start_load');
    this.busyAt = performance.now();
    return { ...this.ref, room: this.maxToLoad, known: this.heldDeliveryIds, doubtful };
  }

  endLoad(result: LoadResult): void {
    this.apply(result);
  }

  /** Drops the loaded deliveries, because this process no longer has the queue's lease. */
  lose(): void {
    this.apply('lose');
    clearTimeout(this.timer);
    this.backlog = [];
  }

  private apply(event: QueueEvent): void {
    this.currentMode = nextMode(this.currentMode, event);
  }

  get pool(): Pool {
    return this.health.isSlow ? 'slow' : 'quick';
  }

  get maxConcurrent(): number {
    if (isHalfOpen(this.health)) return 1;
    return Math.min(this.window, this.config?.maxInFlight ?? 1);
  }

  /**
   * The number of deliveries that the next query may load. It is so high that the queue does not
   * run empty before a further query has loaded more.
   */
  get maxToLoad(): number {
    if (this.health.stopReason !== null || this.isPaused) return 0;
    return Math.max(0, Math.min(this.maxConcurrent * 2, MAX_BACKLOG) - this.backlog.length);
  }

  /**
   * True if this process must run a query: to load deliveries, to cancel deliveries or to read a
   * newer health.
   */
  get needsLoad(): boolean {
    if (isCancelling(this.mode) || (this.isHealthStale && this.isQuiet)) return true;
    return isBehind(this.mode) && this.maxToLoad > 0;
  }

  /**
   * True if the endpoint has changed since `health` was read. The health in webhook_lanes may then
   * have changed too.
   */
  get isHealthStale(): boolean {
    return this.config !== undefined && this.config.version !== this.healthVersion;
  }

  get isQuiet(): boolean {
    return this.inFlight.size === 0 && this.unstoredIds.size === 0;
  }

  /** True if the queue can do nothing now. This process may then release the lease. */
  get isIdle(): boolean {
    if (!this.isQuiet || isCancelling(this.mode)) return false;
    return this.isPaused || this.health.stopReason !== null || !this.hasWork;
  }

  /** True if any request in flight started before `at`, a time by performance.now(). */
  hasRequestSince(at: number): boolean {
    for (const { startedAt } of this.inFlight.values()) if (startedAt < at) return true;
    return false;
  }

  get isPaused(): boolean {
    return getPauseEnd(this.health, Date.now()) > 0;
  }

  /**
   * Ids of the deliveries that this process has in memory. A query for due deliveries must leave
   * them out.
   */
  get heldDeliveryIds(): string[] {
    return [...this.backlog.map(({ id }) => id), ...this.inFlight.keys(), ...this.unstoredIds];
  }

  /**
   * Returns the milliseconds until the next request may start. Returns undefined if the queue must
   * first wait for an event, such as a load or the end of a request.
   */
  getReadyInMs(): number | undefined {
    if (!this.hasWork || this.health.stopReason !== null) return undefined;
    const now = Date.now();
    const pause = getPauseEnd(this.health, now);
    if (pause > 0) return pause - now;
    if (!this.config || this.backlog.length === 0 || this.inFlight.size >= this.maxConcurrent)
      return undefined;
    return Math.max(0, this.nextSlotAt - performance.now());
  }

  /** True if deliveries are loaded, are being loaded, or may wait in PostgreSQL. */
  get hasWork(): boolean {
    return this.backlog.length > 0 || this.mode !== 'current';
  }

  /** Adds deliveries. Live deliveries come first, even before replays that were loaded earlier. */
  load(deliveries: DueDelivery[]): void {
    this.backlog = [...this.backlog, ...deliveries].sort((a, b) => a.priority - b.priority);
  }

  /** Removes all loaded deliveries from memory. A later query loads them again. */
  unload(): void {
    if (this.backlog.length === 0) return;
    this.backlog = [];
    this.apply('unload');
  }

  /** Starts a request for the next delivery. Call this only when {@link getReadyInMs} is 0. */
  startNext(pool: Pool): InFlightRequest {
    const delivery = this.backlog.shift() as DueDelivery;
    const now = performance.now();
    const perSecond = this.config?.rateLimitPerSecond;
    // Space the requests evenly, so that no period of one second exceeds the limit.
    if (perSecond) this.nextSlotAt = Math.max(now, this.nextSlotAt) + 1000 / perSecond;
    const request = { delivery, startedAt: now, pool };
    this.inFlight.set(delivery.id, request);
    this.busyAt = now;
    return request;
  }

  /**
   * Ends a request that was not sent, and pauses the endpoint. The request counts neither as a
   * success nor as a failure.
   */
  postpone({ delivery }: InFlightRequest, waitMs: number): void {
    this.inFlight.delete(delivery.id);
    this.health.throttledUntil = Math.max(this.health.throttledUntil ?? 0, Date.now() + waitMs);
    this.health.lastError = 'host_limit';
    this.backlog = [];
    this.apply('unload');
  }

  finish({ delivery }: InFlightRequest, succeeded: boolean): void {
    this.inFlight.delete(delivery.id);
    this.unstoredIds.add(delivery.id);
    this.busyAt = performance.now();
    this.window = succeeded ? this.window + 1 : Math.max(1, Math.floor(this.window / 2));
    if (this.config) this.window = Math.min(this.window, this.config.maxInFlight);
  }

  buildState(): EndpointQueueState {
    return { ...this.ref, owner: this.owner, health: { ...this.health } };
  }

  /**
   * Returns the state to store after an attempt; undefined if the stored state is recent enough.
   * @param isSignificant false if nothing changed except the time of the last success
   */
  takeStateToStore(isSignificant: boolean, now: number): EndpointQueueState | undefined {
    const isStale =
      now - this.storedLastSuccessAt > SUCCESS_STORE_INTERVAL_MS || this.storedIsSlow !== this.health.isSlow;
    if (!isSignificant && !isStale) return undefined;
    this.storedLastSuccessAt = now;
    this.storedIsSlow = this.health.isSlow;
    return this.buildState();
  }
}
