/**
 * The time that the requests of one event-loop iteration may take. If the process is overloaded, it
 * refuses further requests of the iteration.
 */
const BUDGET_MS = 100;
/**
 * The process counts as overloaded once all its iterations in a period of this length were too
 * long. It counts as recovered once all of them were short enough.
 */
const MODE_CHANGE_MS = 1000;
/** A pause of this time without requests restarts the measurement of {@link MODE_CHANGE_MS}. */
const MAX_PAUSE_MS = 500;

export interface LoopBudgetOptions {
  /** Returns a time in ms. */
  now?: () => number;
  /** Runs `work` after the requests of this event-loop iteration; setImmediate by default. */
  afterRequests?: (work: () => void) => void;
}

/**
 * Shows whether this process has time for more requests. If clients send more requests than the
 * process can read, the surplus waits in the kernel, where the process cannot count it. Each
 * iteration of the event loop then handles more requests, and takes longer. The process refuses
 * requests only after its iterations were too long during a whole second, so short bursts cause no
 * refusals.
 */
export class LoopBudget {
  private readonly now: () => number;
  private readonly afterRequests: (work: () => void) => void;
  /** The time when the first request of this iteration arrived. */
  private startedAt: number | undefined;
  private endedAt = Number.NEGATIVE_INFINITY;
  private isOverloaded = false;
  /** Senders without a tenant that sent a request in this iteration. */
  private readonly senders = new Set<string>();
  /**
   * The start of the series of iterations that contradict `isOverloaded`; undefined if the last
   * iteration agreed with it.
   */
  private contradictedSince: number | undefined;

  constructor({ now = () => performance.now(), afterRequests = setImmediate }: LoopBudgetOptions = {}) {
    this.now = now;
    this.afterRequests = afterRequests;
  }

  /** Call this for each request that arrives. */
  countArrival(): void {
    if (this.startedAt !== undefined) return;
    this.startedAt = this.now();
    // After a pause, restart the measurement, because earlier iterations do not show the current
    // load.
    if (this.startedAt - this.endedAt > MAX_PAUSE_MS) this.contradictedSince = undefined;
    this.afterRequests(() => this.endIteration());
  }

  /** True if this iteration should handle no further request. */
  get isUsedUp(): boolean {
    return this.isOverloaded && this.startedAt !== undefined && this.now() - this.startedAt > BUDGET_MS;
  }

  /**
   * True if this iteration should handle no further request of a sender without a tenant. Each such
   * sender may always send one request in an iteration.
   */
  isUsedUpFor(sender: string): boolean {
    const isFirst = !this.senders.has(sender);
    if (isFirst) this.senders.add(sender);
    return !isFirst && this.isUsedUp;
  }

  private endIteration(): void {
    const now = this.now();
    const wasLong = now - (this.startedAt ?? now) > BUDGET_MS;
    this.startedAt = undefined;
    this.endedAt = now;
    this.senders.clear();
    if (wasLong === this.isOverloaded) {
      this.contradictedSince = undefined;
      return;
    }
    this.contradictedSince ??= now;
    if (now - this.contradictedSince < MODE_CHANGE_MS) return;
    this.isOverloaded = wasLong;
    this.contradictedSince = undefined;
  }
}
