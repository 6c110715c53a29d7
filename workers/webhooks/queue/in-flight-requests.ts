import { markDelivering } from '../../../shared/deliveries/store-attempts.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import type { Permits } from '../../leased-queues/permits.js';
import type { EndpointQueue, InFlightRequest } from './endpoint-queue.js';

/** An endpoint counts as slow after a response that takes longer than this. */
export const SLOW_MS = 1000;
const WATCH_MS = 250;

interface Entry {
  endpointQueue: EndpointQueue;
  request: InFlightRequest;
  isMarked: boolean;
}

export class InFlightRequests {
  private readonly entries = new Set<Entry>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: Runtime,
    private readonly permits: Permits,
    private readonly onPermitsFreed: () => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => this.detectSlowRequests(), WATCH_MS);
  }

  /** @returns a function to call when the request has ended */
  add(endpointQueue: EndpointQueue, request: InFlightRequest): () => void {
    const entry = { endpointQueue, request, isMarked: false };
    this.entries.add(entry);
    return () => this.entries.delete(entry);
  }

  /**
   * Moves slow requests to the slow pool. The delivery log then shows their deliveries as
   * `delivering`.
   */
  private detectSlowRequests(): void {
    const now = performance.now();
    const newlySlow = [...this.entries].filter(
      ({ request, isMarked }) => !isMarked && now - request.startedAt > SLOW_MS,
    );
    if (newlySlow.length === 0) return;
    for (const entry of newlySlow) {
      const { endpointQueue, request } = entry;
      entry.isMarked = true;
      endpointQueue.health.isSlow = true;
      if (request.pool === 'slow') continue;
      request.pool = 'slow';
      this.permits.moveToSlowPool(endpointQueue.ref.tenantId);
    }
    this.onPermitsFreed();
    const slowDeliveries = newlySlow.map(({ endpointQueue, request }) => ({
      ...request.delivery,
      tenantId: endpointQueue.ref.tenantId,
    }));
    markDelivering(this.runtime.db, slowDeliveries).catch((error: unknown) =>
      this.runtime.logger.debug({ err: error }, 'cannot mark slow deliveries as delivering'),
    );
  }

  async close(deadlineMs: number): Promise<void> {
    clearInterval(this.timer);
    const deadline = performance.now() + deadlineMs;
    while (this.entries.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
