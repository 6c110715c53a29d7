import { LRUCache } from 'lru-cache';
import type { Database } from '../../../shared/platform/postgres/database.js';
import type { LinkTarget } from '../../../shared/resources/work-order-links/link.js';
import {
  readTrackedWorkOrder,
  type TrackedWorkOrder,
} from '../../../shared/resources/work-order-links/tracking-queries.js';

/** For this time, requests for one link share one read. */
const KEPT_MS = 3000;
/** A kept work order takes about 1 KB. */
const MAX_KEPT = 2000;

/**
 * Reads what tracking pages show. However many people watch a link, a process reads its work order
 * once in {@link KEPT_MS}, and requests at the same time share that query.
 */
export class TrackingReader {
  readonly #kept = new LRUCache<string, Promise<TrackedWorkOrder | undefined>>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
  });

  constructor(private readonly db: Pick<Database, 'read'>) {}

  /** Returns undefined if there is no such work order. */
  read(target: LinkTarget): Promise<TrackedWorkOrder | undefined> {
    const key = `${target.tenantId}/${target.workOrderId}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const reading = readTrackedWorkOrder(this.db, target);
    this.#kept.set(key, reading);
    // The next request tries again.
    reading.catch(() => this.#kept.delete(key));
    return reading;
  }
}
