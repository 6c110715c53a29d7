import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/postgres/database.js';
import { buildOverviewQuery } from './queries.js';

/** An overview that took longer to read is kept for {@link KEPT_MS}. */
const SLOW_MS = 40;
const KEPT_MS = 5000;
/** An overview has some 6 KB. */
const MAX_KEPT = 500;

/**
 * Reads the overviews of accounts. A small account always sees its newest numbers. The overview of a
 * large account takes PostgreSQL a few tens of ms, so it is kept for some seconds: its dashboards
 * read it again whenever something changes.
 */
export class OverviewReader {
  readonly #kept = new LRUCache<string, Buffer>({ max: MAX_KEPT, ttl: KEPT_MS });

  constructor(private readonly db: Database) {}

  /** Returns the overview as UTF-8 JSON. */
  async read(account: { tenantId: string; timeZone: string }): Promise<Buffer> {
    const kept = this.#kept.get(account.tenantId);
    if (kept) return kept;
    const startedAt = performance.now();
    const [row] = await this.db.read<{ body: string }>(account.tenantId, buildOverviewQuery(account));
    if (!row) throw new Error('the overview returned no row');
    const body = Buffer.from(row.body);
    if (performance.now() - startedAt > SLOW_MS) this.#kept.set(account.tenantId, body);
    return body;
  }
}
