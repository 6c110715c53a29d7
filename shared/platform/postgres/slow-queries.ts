export interface TenantRead {
  tenantId: string;
  /** The query's name, or its text if it has no name. */
  query: string;
}

/** A read that takes this long counts as slow. It delays every later read on its connection. */
export const SLOW_READ_MS = 100;

/**
 * After this many quick reads in a row, a query no longer counts as slow. So a query that was slow
 * only because the machine paused soon shares connections again.
 */
const QUICK_READS_PER_SLOW_ONE = 20;

/** A query counts as slow for this long after its last slow read. */
const EXPIRY_MS = 60_000;

interface SlowQuery {
  tenantId: string;
  expiresAt: number;
  quickReadsLeft: number;
}

/**
 * Records which queries of which tenants were slow recently. A slow query occupies a connection for
 * at least 100 ms, and its record expires after a minute. So at most a few thousand records exist
 * at a time.
 */
export class SlowQueries {
  /** Keyed by tenant and query, in the sequence in which the records expire. */
  private readonly queries = new Map<string, SlowQuery>();
  private readonly countByTenant = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  has(read: TenantRead): boolean {
    return this.hasAny(read.tenantId) && this.queries.has(toKey(read));
  }

  hasAny(tenantId: string): boolean {
    this.deleteExpired();
    return this.countByTenant.has(tenantId);
  }

  async measure<T>(read: TenantRead, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      this.record(read, this.now() - startedAt);
    }
  }

  /** @param durationMs does not include the wait for earlier reads on the connection */
  record(read: TenantRead, durationMs: number): void {
    if (durationMs >= SLOW_READ_MS) this.add(read);
    else if (this.has(read)) this.countQuickRead(toKey(read));
  }

  private countQuickRead(key: string): void {
    const query = this.queries.get(key) as SlowQuery;
    query.quickReadsLeft -= 1;
    if (query.quickReadsLeft === 0) this.delete(key);
  }

  private add(read: TenantRead): void {
    const { tenantId } = read;
    const key = toKey(read);
    // Insert at the end of the Map, because this record now expires last.
    this.delete(key);
    const expiresAt = this.now() + EXPIRY_MS;
    this.queries.set(key, { tenantId, expiresAt, quickReadsLeft: QUICK_READS_PER_SLOW_ONE });
    this.countByTenant.set(tenantId, (this.countByTenant.get(tenantId) ?? 0) + 1);
  }

  private deleteExpired(): void {
    for (const [key, { expiresAt }] of this.queries) {
      if (expiresAt > this.now()) return;
      this.delete(key);
    }
  }

  private delete(key: string): void {
    const query = this.queries.get(key);
    if (!query) return;
    this.queries.delete(key);
    const remaining = (this.countByTenant.get(query.tenantId) ?? 0) - 1;
    if (remaining > 0) this.countByTenant.set(query.tenantId, remaining);
    else this.countByTenant.delete(query.tenantId);
  }
}

function toKey({ tenantId, query }: TenantRead): string {
  return `${tenantId} ${query}`;
}
