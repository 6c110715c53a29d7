/** A read of a tenant, by what tells how long it may take. */
export interface TenantRead {
  tenantId: string;
  /** The query's name, or else its text: the same query does the same kind of work. */
  query: string;
}

/**
 * A read that keeps PostgreSQL busy for this long delays every read behind it on its connection.
 */
export const SLOW_READ_MS = 100;

/** Quick reads in a row that make up for a slow one: one pause of this process is soon forgiven. */
const QUICK_READS_PER_SLOW_ONE = 20;

/** A query counts as slow for this long after it last was. */
const REMEMBERED_MS = 60_000;

interface SlowQuery {
  tenantId: string;
  forgetAt: number;
  quickReadsLeft: number;
}

/**
 * Remembers which queries of which tenants were slow lately. Each of them took a connection for
 * 100 ms, so only some thousands of them can be remembered at a time.
 */
export class SlowQueries {
  /** By tenant and query, in the order in which they are forgotten. */
  private readonly queries = new Map<string, SlowQuery>();
  /** How many of them each tenant has. */
  private readonly counts = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  has(read: TenantRead): boolean {
    return this.hasAny(read.tenantId) && this.queries.has(keyOf(read));
  }

  /** True when any query of the tenant was slow lately. */
  hasAny(tenantId: string): boolean {
    this.forgetOld();
    return this.counts.has(tenantId);
  }

  /** Runs a read and remembers it when it is slow. */
  async measure<T>(read: TenantRead, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      this.record(read, this.now() - startedAt);
    }
  }

  /** @param durationMs without the wait for reads before it */
  record(read: TenantRead, durationMs: number): void {
    if (durationMs >= SLOW_READ_MS) this.remember(read);
    else if (this.has(read)) this.countQuick(keyOf(read));
  }

  private countQuick(key: string): void {
    const query = this.queries.get(key) as SlowQuery;
    query.quickReadsLeft -= 1;
    if (query.quickReadsLeft === 0) this.forget(key);
  }

  private remember(read: TenantRead): void {
    const { tenantId } = read;
    const key = keyOf(read);
    // To the end, for it is forgotten last now.
    this.forget(key);
    const forgetAt = this.now() + REMEMBERED_MS;
    this.queries.set(key, { tenantId, forgetAt, quickReadsLeft: QUICK_READS_PER_SLOW_ONE });
    this.counts.set(tenantId, (this.counts.get(tenantId) ?? 0) + 1);
  }

  private forgetOld(): void {
    for (const [key, { forgetAt }] of this.queries) {
      if (forgetAt > this.now()) return;
      this.forget(key);
    }
  }

  private forget(key: string): void {
    const query = this.queries.get(key);
    if (!query) return;
    this.queries.delete(key);
    const left = (this.counts.get(query.tenantId) ?? 0) - 1;
    if (left > 0) this.counts.set(query.tenantId, left);
    else this.counts.delete(query.tenantId);
  }
}

function keyOf({ tenantId, query }: TenantRead): string {
  return `${tenantId} ${query}`;
}
