import type { LaneRef } from '../../shared/queues/webhooks.js';
import type { DueDelivery } from './due-store.js';
import type { EndpointConfig } from './endpoint-config.js';
import { isHalfOpen, type LaneHealth, pausedUntil } from './lane-health.js';
import type { Pool } from './permits.js';

/** A new lane proves itself first: one more request at a time with each success, half as many after a failure. */
const FIRST_WINDOW = 2;
/** Bodies may be large: no more of them lie in memory for one endpoint, beside those under way. */
const MAX_BACKLOG = 32;

/** A request under way. Times are of performance.now(). */
export interface Flight {
  delivery: DueDelivery;
  startedAt: number;
  pool: Pool;
}

/** One endpoint in the hands of this process: what is loaded, what is under way, and how much more it may have. */
export class Lane {
  config: EndpointConfig | undefined;
  backlog: DueDelivery[] = [];
  readonly inFlight = new Map<string, Flight>();
  /** Answered, and not stored yet. */
  readonly unrecorded = new Set<string>();
  /** There may be more due in the store than is loaded. */
  isDirty = true;
  /** It was woken: what is loaded may have been cancelled meanwhile. */
  isDoubtful = false;
  /** Its endpoint takes nothing, and there is more to cancel. */
  mustCancel = false;
  /** When it was last seen at work, of performance.now(). */
  busyAt = performance.now();
  timer: NodeJS.Timeout | undefined;
  /** The time of the last success that webhook_lanes knows of. */
  storedSuccessAt = 0;
  storedSlow: boolean;
  private window = FIRST_WINDOW;
  private nextSlotAt = 0;

  constructor(
    readonly ref: LaneRef,
    /** The lease: of this taking of the lane, by this process. */
    readonly owner: string,
    public health: LaneHealth,
    /** The version of its endpoint that `health` was read with, or before. */
    public healthVersion: string,
  ) {
    this.storedSlow = health.isSlow;
  }

  get pool(): Pool {
    return this.health.isSlow ? 'slow' : 'quick';
  }

  /** How many requests it may have under way. */
  get limit(): number {
    if (isHalfOpen(this.health)) return 1;
    return Math.min(this.window, this.config?.maxInFlight ?? 1);
  }

  /** How many deliveries to load: enough to go on with while the next ones are being loaded. */
  get room(): number {
    if (this.health.stopReason !== null || this.isPaused) return 0;
    return Math.max(0, Math.min(this.limit * 2, MAX_BACKLOG) - this.backlog.length);
  }

  /** The store may hold something that is to be loaded, read again or cancelled now. */
  get wantsLook(): boolean {
    if (this.mustCancel || (this.isHealthStale && this.isQuiet)) return true;
    return this.isDirty && this.room > 0;
  }

  /** Somebody has changed its endpoint since, and perhaps its state in webhook_lanes. */
  get isHealthStale(): boolean {
    return this.config !== undefined && this.config.version !== this.healthVersion;
  }

  /** Nothing is under way, or to be stored. */
  get isQuiet(): boolean {
    return this.inFlight.size === 0 && this.unrecorded.size === 0;
  }

  /** Nothing is loaded, under way or to be stored, nor known to be due. */
  get isIdle(): boolean {
    if (!this.isQuiet || this.mustCancel) return false;
    return this.isPaused || this.health.stopReason !== null || (this.backlog.length === 0 && !this.isDirty);
  }

  /** A request has been under way since before then. */
  isWaitingSince(at: number): boolean {
    for (const { startedAt } of this.inFlight.values()) if (startedAt < at) return true;
    return false;
  }

  get isPaused(): boolean {
    return pausedUntil(this.health, Date.now()) > 0;
  }

  /** Ids that a look for due deliveries must leave out. */
  get known(): string[] {
    return [...this.backlog.map(({ id }) => id), ...this.inFlight.keys(), ...this.unrecorded];
  }

  /** In how many ms the next request may start; undefined: not before something else has happened. */
  readyIn(): number | undefined {
    if (!this.hasWork || this.health.stopReason !== null) return undefined;
    const now = Date.now();
    const pause = pausedUntil(this.health, now);
    if (pause > 0) return pause - now;
    if (!this.config || this.backlog.length === 0 || this.inFlight.size >= this.limit) return undefined;
    return Math.max(0, this.nextSlotAt - performance.now());
  }

  /** Something is loaded, or may be waiting in the store. */
  get hasWork(): boolean {
    return this.backlog.length > 0 || this.isDirty;
  }

  /** Adds what was loaded. Live deliveries go before replays, those that are loaded already too. */
  load(deliveries: DueDelivery[]): void {
    this.backlog = [...this.backlog, ...deliveries].sort((a, b) => a.priority - b.priority);
  }

  /** Forgets what is loaded; it is read again when its time has come. */
  unload(): void {
    if (this.backlog.length === 0) return;
    this.backlog = [];
    this.isDirty = true;
  }

  /** Takes the next delivery; only when {@link readyIn} is 0. */
  begin(pool: Pool): Flight {
    const delivery = this.backlog.shift() as DueDelivery;
    const now = performance.now();
    const perSecond = this.config?.rateLimitPerSecond;
    // Evenly spaced: no second sees more than the limit, wherever one starts to count.
    if (perSecond) this.nextSlotAt = Math.max(now, this.nextSlotAt) + 1000 / perSecond;
    const flight = { delivery, startedAt: now, pool };
    this.inFlight.set(delivery.id, flight);
    this.busyAt = now;
    return flight;
  }

  /** Nothing was sent, and nothing may be for so long: neither a success nor a failure. */
  holdBack({ delivery }: Flight, waitMs: number): void {
    this.inFlight.delete(delivery.id);
    this.health.throttledUntil = Math.max(this.health.throttledUntil ?? 0, Date.now() + waitMs);
    this.health.lastError = 'host_limit';
    this.isDirty = true;
    this.unload();
  }

  /** The answer is there. */
  end({ delivery }: Flight, succeeded: boolean): void {
    this.inFlight.delete(delivery.id);
    this.unrecorded.add(delivery.id);
    this.busyAt = performance.now();
    this.window = succeeded ? this.window + 1 : Math.max(1, Math.floor(this.window / 2));
    if (this.config) this.window = Math.min(this.window, this.config.maxInFlight);
  }
}
