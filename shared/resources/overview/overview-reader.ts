import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/postgres/database.js';
import { KEPT_MS, MIN_KEPT_RECORDS } from './limits.js';
import { buildOverviewQuery, type OverviewRow } from './queries.js';

/** An overview has some 6 KB. */
const MAX_KEPT = 500;

/**
 * Reads the overviews of accounts. A small account always sees its newest numbers. Those of a large
 * account are kept for some seconds, because its dashboards read them again at every change.
 */
export class OverviewReader {
  readonly #kept = new LRUCache<string, Buffer>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(private readonly db: Database) {}

  /** Returns the overview as UTF-8 JSON. */
  async read(account: { tenantId: string; timeZone: string }): Promise<Buffer> {
    const { tenantId } = account;
    const kept = this.#kept.get(tenantId);
    if (kept) return kept;
    const [row] = await this.db.read<OverviewRow>(tenantId, buildOverviewQuery(account));
    if (!row) throw new Error('the overview returned no row');
    const body = Buffer.from(row.body);
    if (row.records >= MIN_KEPT_RECORDS) this.#kept.set(tenantId, body);
    return body;
  }
}
