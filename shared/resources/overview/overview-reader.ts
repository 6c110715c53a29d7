import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/postgres/database.js';
import { KEPT_MS, MIN_KEPT_RECORDS } from './limits.js';
import { buildOverviewQuery, type OverviewRow } from './queries.js';

/** Maximum number of cached overviews. One overview takes about 6 KB. */
const MAX_KEPT = 500;

/**
 * Reads the overviews of accounts. A small account always sees its newest numbers. The overview of
 * a large account is cached for some seconds, because each change makes all its dashboards read the
 * overview again.
 */
export class OverviewReader {
  readonly #kept = new LRUCache<string, Buffer>({ max: MAX_KEPT, ttl: KEPT_MS });

  /**
   * Accounts whose last overview was cached. Concurrent reads of such an account share one query.
   */
  readonly #large = new LRUCache<string, true>({ max: MAX_KEPT });
  readonly #running = new Map<string, Promise<Buffer>>();

  constructor(private readonly db: Database) {}

  /** Returns the overview as UTF-8 JSON. Concurrent reads of a large account share one query. */
  async read(account: { tenantId: string; timeZone: string }): Promise<Buffer> {
    const { tenantId } = account;
    const kept = this.#kept.get(tenantId) ?? this.#running.get(tenantId);
    if (kept) return kept;
    if (!this.#large.has(tenantId)) return this.#query(account);
    const running = this.#query(account).finally(() => this.#running.delete(tenantId));
    this.#running.set(tenantId, running);
    return running;
  }

  async #query(account: { tenantId: string; timeZone: string }): Promise<Buffer> {
    const { tenantId } = account;
    const [row] = await this.db.read<OverviewRow>(tenantId, buildOverviewQuery(account));
    if (!row) throw new Error('the overview returned no row');
    const body = Buffer.from(row.body);
    if (row.records >= MIN_KEPT_RECORDS) {
      this.#kept.set(tenantId, body);
      this.#large.set(tenantId, true);
    }
    return body;
  }
}
