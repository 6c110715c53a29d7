import type { Runtime } from '../../shared/platform/runtime.js';
import { markDelivering } from './due-store.js';
import type { Flight, Lane } from './lane.js';
import type { Permits } from './permits.js';

/** An answer that takes longer makes its endpoint slow, in ms. */
export const SLOW_MS = 1000;
const WATCH_MS = 250;

interface Entry {
  lane: Lane;
  flight: Flight;
  isMarked: boolean;
}

/** The requests of this process that are under way. */
export class Flights {
  private readonly entries = new Set<Entry>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: Runtime,
    private readonly permits: Permits,
    /** The quick pool has room again. */
    private readonly onMoved: () => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.watch(), WATCH_MS);
  }

  /** @returns what to call once the answer is there */
  add(lane: Lane, flight: Flight): () => void {
    const entry = { lane, flight, isMarked: false };
    this.entries.add(entry);
    return () => this.entries.delete(entry);
  }

  /** What takes long moves to the slow pool, and the log says that it is under way. */
  private watch(): void {
    const now = performance.now();
    const slow = [...this.entries].filter(
      ({ flight, isMarked }) => !isMarked && now - flight.startedAt > SLOW_MS,
    );
    if (slow.length === 0) return;
    for (const entry of slow) {
      const { lane, flight } = entry;
      entry.isMarked = true;
      lane.health.isSlow = true;
      if (flight.pool === 'slow') continue;
      flight.pool = 'slow';
      this.permits.move(lane.ref.tenantId);
    }
    this.onMoved();
    const marked = slow.map(({ lane, flight }) => ({ ...flight.delivery, tenantId: lane.ref.tenantId }));
    markDelivering(this.runtime.db, marked).catch((error: unknown) =>
      this.runtime.logger.debug({ err: error }, 'the log does not tell what is under way'),
    );
  }

  /** Resolves once nothing is under way any more, or when that has taken too long. */
  async close(deadlineMs: number): Promise<void> {
    clearInterval(this.timer);
    const deadline = performance.now() + deadlineMs;
    while (this.entries.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
