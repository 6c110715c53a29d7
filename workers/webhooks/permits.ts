/**
 * How many requests of a process may be under way. What has not been answered within a second gives its permit back and counts as slow; slow endpoints
 * share a pool of their own from then on. So receivers that hang never use up what quick ones need. In either pool no tenant takes more than half
 * while another one waits.
 */
export type Pool = 'quick' | 'slow';

export interface PermitLimits {
  quick: number;
  slow: number;
}

export class Permits {
  private readonly byTenant = { quick: new Map<string, number>(), slow: new Map<string, number>() };
  /** Used, without what tenants have beyond their shares: that must not keep the others out. */
  private readonly counted = { quick: 0, slow: 0 };

  constructor(private readonly limits: PermitLimits) {}

  hasRoom(pool: Pool): boolean {
    return this.counted[pool] < this.limits[pool];
  }

  /** True while a tenant has less than its share, of this pool and of both together. */
  mayTake(pool: Pool, tenantId: string): boolean {
    const all = this.of('quick', tenantId) + this.of('slow', tenantId);
    return this.of(pool, tenantId) < this.share(pool) && all < this.share('quick') + this.share('slow');
  }

  take(pool: Pool, tenantId: string): void {
    const used = this.of(pool, tenantId);
    if (used < this.share(pool)) this.counted[pool] += 1;
    this.byTenant[pool].set(tenantId, used + 1);
  }

  give(pool: Pool, tenantId: string): void {
    const left = this.of(pool, tenantId) - 1;
    if (left < this.share(pool)) this.counted[pool] -= 1;
    if (left > 0) this.byTenant[pool].set(tenantId, left);
    else this.byTenant[pool].delete(tenantId);
  }

  /** A request turned out to be slow: it is under way already, so its tenant may get beyond its share of the slow pool. */
  move(tenantId: string): void {
    this.give('quick', tenantId);
    this.take('slow', tenantId);
  }

  usage(): Readonly<Record<Pool, number>> {
    const sum = (pool: Pool) => [...this.byTenant[pool].values()].reduce((total, used) => total + used, 0);
    return { quick: sum('quick'), slow: sum('slow') };
  }

  private of(pool: Pool, tenantId: string): number {
    return this.byTenant[pool].get(tenantId) ?? 0;
  }

  private share(pool: Pool): number {
    return Math.max(1, this.limits[pool] / 2);
  }
}
