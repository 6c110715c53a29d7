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
  private readonly used = { quick: 0, slow: 0 };
  private readonly byTenant = { quick: new Map<string, number>(), slow: new Map<string, number>() };

  constructor(private readonly limits: PermitLimits) {}

  hasRoom(pool: Pool): boolean {
    return this.used[pool] < this.limits[pool];
  }

  /** True while a tenant has less than its share. */
  mayTake(pool: Pool, tenantId: string): boolean {
    return (this.byTenant[pool].get(tenantId) ?? 0) < Math.max(1, this.limits[pool] / 2);
  }

  take(pool: Pool, tenantId: string): void {
    this.used[pool] += 1;
    this.byTenant[pool].set(tenantId, (this.byTenant[pool].get(tenantId) ?? 0) + 1);
  }

  give(pool: Pool, tenantId: string): void {
    this.used[pool] -= 1;
    const left = (this.byTenant[pool].get(tenantId) ?? 1) - 1;
    if (left > 0) this.byTenant[pool].set(tenantId, left);
    else this.byTenant[pool].delete(tenantId);
  }

  /** A request turned out to be slow: it is under way already, so the slow pool may be overdrawn by it. */
  move(tenantId: string): void {
    this.give('quick', tenantId);
    this.take('slow', tenantId);
  }

  usage(): Readonly<Record<Pool, number>> {
    return { ...this.used };
  }
}
