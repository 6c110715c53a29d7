/** How long the requests of one event-loop iteration may take until further ones are refused. */
const BUDGET_MS = 100;
/** Iterations must be too long, or short enough, for this time before the mode changes. */
const MODE_CHANGE_MS = 1000;
/** After a pause of this time without requests, the mode changes only after another second. */
const MAX_PAUSE_MS = 500;

export interface LoopBudgetOptions {
  /** Returns a time in ms. */
  now?: () => number;
  /** Runs `work` after the requests of this event-loop iteration; setImmediate by default. */
  afterRequests?: (work: () => void) => void;
}

/**
 * Tells whether this process has no time for more requests. If clients send more than the process
 * can read, the surplus waits in the kernel, where the process cannot count it. Then each iteration
 * of the event loop has more requests to handle, and takes longer. Short bursts pass: the process
 * refuses requests only after its iterations were too long for a second.
 */
export class LoopBudget {
  private readonly now: () => number;
  private readonly afterRequests: (work: () => void) => void;
  /** When the first request of this iteration arrived. */
  private startedAt: number | undefined;
  private endedAt = Number.NEGATIVE_INFINITY;
  private isOverloaded = false;
  /** The unknown senders that sent a request in this iteration. */
  private readonly senders = new Set<string>();
  /** Since when the iterations contradict `isOverloaded`. */
  private contradictedSince: number | undefined;

  constructor({ now = () => performance.now(), afterRequests = setImmediate }: LoopBudgetOptions = {}) {
    this.now = now;
    this.afterRequests = afterRequests;
  }

  /** Call this for each request that arrives. */
  countArrival(): void {
    if (this.startedAt !== undefined) return;
    this.startedAt = this.now();
    // Iterations before a pause say nothing about this one.
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
