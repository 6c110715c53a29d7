import { LRUCache } from 'lru-cache';
import type { Database } from '../../../shared/platform/postgres/database.js';
import type { LinkTarget } from '../../../shared/resources/work-order-links/link.js';
import {
  readTrackedWorkOrder,
  type TrackedWorkOrder,
} from '../../../shared/resources/work-order-links/tracking-queries.js';

/** A work order that was read stays in the cache for this time. */
const KEPT_MS = 250;
/** Maximum number of cached work orders. Each takes about 1 KB. */
const MAX_KEPT = 2000;

/**
 * Reads the work orders that tracking pages show. Each process reads a work order at most once in
 * {@link KEPT_MS}, however many people watch it. Simultaneous requests share one query.
 */
export class TrackingReader {
  readonly #kept = new LRUCache<string, Promise<TrackedWorkOrder | undefined>>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
  });

  constructor(private readonly db: Pick<Database, 'read'>) {}

  /** Returns undefined if the work order does not exist. */
  read(target: LinkTarget): Promise<TrackedWorkOrder | undefined> {
    const key = `${target.tenantId}/${target.workOrderId}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const reading = readTrackedWorkOrder(this.db, target);
    this.#kept.set(key, reading);
    // Remove a failed read from the cache, so that the next request tries again.
    reading.catch(() => this.#kept.delete(key));
    return reading;
  }
}
