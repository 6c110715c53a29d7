/**
 * The two pools of permits. They limit how many requests or steps a process runs at once.
 *
 * After a second without a response, a request moves from the quick pool to the slow pool. A slow
 * webhook endpoint uses only the slow pool until it responds quickly again. So receivers that hang
 * cannot use up the quick permits. A tenant gets at most half of each pool, so that other tenants
 * find free permits.
 */
export type Pool = 'quick' | 'slow';

export interface PermitLimits {
  quick: number;
  slow: number;
}

export class Permits {
  private readonly byTenant = { quick: new Map<string, number>(), slow: new Map<string, number>() };
  /**
   * The number of permits in use in each pool. Does not count permits that a tenant uses beyond its
   * fair share, because such permits must not block other tenants.
   */
  private readonly counted = { quick: 0, slow: 0 };

  constructor(private readonly limits: PermitLimits) {}

  hasFreePermit(pool: Pool): boolean {
    return this.counted[pool] < this.limits[pool];
  }

  /**
   * True if a tenant uses less than half of this pool's permits, and less than half of all permits.
   */
  canAcquire(pool: Pool, tenantId: string): boolean {
    const all = this.countUsed('quick', tenantId) + this.countUsed('slow', tenantId);
    return (
      this.countUsed(pool, tenantId) < this.getFairShare(pool) &&
      all < this.getFairShare('quick') + this.getFairShare('slow')
    );
  }

  acquire(pool: Pool, tenantId: string): void {
    const used = this.countUsed(pool, tenantId);
    if (used < this.getFairShare(pool)) this.counted[pool] += 1;
    this.byTenant[pool].set(tenantId, used + 1);
  }

  release(pool: Pool, tenantId: string): void {
    const left = this.countUsed(pool, tenantId) - 1;
    if (left < this.getFairShare(pool)) this.counted[pool] -= 1;
    if (left > 0) this.byTenant[pool].set(tenantId, left);
    else this.byTenant[pool].delete(tenantId);
  }

  /**
   * Moves a slow request to the slow pool. The tenant may then exceed its share of the slow pool,
   * because the request is already in flight.
   */
  moveToSlowPool(tenantId: string): void {
    this.release('quick', tenantId);
    this.acquire('slow', tenantId);
  }

  countInUse(): Readonly<Record<Pool, number>> {
    const sum = (pool: Pool) => [...this.byTenant[pool].values()].reduce((total, used) => total + used, 0);
    return { quick: sum('quick'), slow: sum('slow') };
  }

  private countUsed(pool: Pool, tenantId: string): number {
    return this.byTenant[pool].get(tenantId) ?? 0;
  }

  private getFairShare(pool: Pool): number {
    return Math.max(1, this.limits[pool] / 2);
  }
}
