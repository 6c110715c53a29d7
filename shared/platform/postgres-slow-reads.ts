/** A read that keeps PostgreSQL busy for this long delays every read behind it on its connection. */
export const SLOW_READ_MS = 100;

/** Quick reads in a row that make up for a slow one. */
const QUICK_READS_PER_SLOW_ONE = 20;

/** Remembers which tenants' reads were slow lately. One pause of this process is soon forgiven; a tenant that goes on is not. */
export class SlowReaders {
  private readonly scores = new Map<string, number>();

  has(tenantId: string): boolean {
    return this.scores.has(tenantId);
  }

  /** @param durationMs without the wait for reads before it */
  record(tenantId: string, durationMs: number): void {
    if (durationMs >= SLOW_READ_MS) {
      this.scores.set(tenantId, QUICK_READS_PER_SLOW_ONE);
      return;
    }
    const score = this.scores.get(tenantId);
    if (score === undefined) return;
    if (score <= 1) this.scores.delete(tenantId);
    else this.scores.set(tenantId, score - 1);
  }
}
