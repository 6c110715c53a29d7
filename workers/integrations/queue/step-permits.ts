import { Permits, type Pool } from '../../leased-queues/permits.js';

interface StepPermitLimits {
  /** Maximum number of concurrent steps in the quick pool, and in the slow pool. */
  maxSteps: number;
  /** A step that takes longer than this time moves to the slow pool. */
  slowMs: number;
}

export interface StepOwner {
  vendor: string;
  tenantId: string;
}

/**
 * The permits for steps. Tenants share both pools as {@link Permits} describes. At most `maxSteps /
 * 2` steps of one vendor run at once. So a vendor that hangs leaves permits for other vendors.
 */
export class StepPermits {
  private readonly permits: Permits;
  private readonly runningByVendor = new Map<string, number>();

  /** @param onFreed called when a slow step has freed its quick permit */
  constructor(
    private readonly limits: StepPermitLimits,
    private readonly onFreed: () => void,
  ) {
    this.permits = new Permits({ quick: limits.maxSteps, slow: limits.maxSteps });
  }

  hasFreePermit(): boolean {
    return this.permits.hasFreePermit('quick');
  }

  canStart({ vendor, tenantId }: StepOwner): boolean {
    const running = this.runningByVendor.get(vendor) ?? 0;
    return running < this.limits.maxSteps / 2 && this.permits.canAcquire('quick', tenantId);
  }

  /** Runs a step with a permit. The caller must have checked {@link canStart}. */
  async run<T>({ vendor, tenantId }: StepOwner, step: () => Promise<T>): Promise<T> {
    let pool: Pool = 'quick';
    this.permits.acquire(pool, tenantId);
    this.countStep(vendor, 1);
    // If the slow pool is full, check again after another `slowMs`. Otherwise the step would keep
    // its quick permit until it ends.
    const slowTimer = setInterval(() => {
      if (!this.permits.hasFreePermit('slow')) return;
      clearInterval(slowTimer);
      pool = 'slow';
      this.permits.moveToSlowPool(tenantId);
      this.onFreed();
    }, this.limits.slowMs);
    try {
      return await step();
    } finally {
      clearInterval(slowTimer);
      this.permits.release(pool, tenantId);
      this.countStep(vendor, -1);
    }
  }

  countInUse(): Readonly<Record<Pool, number>> {
    return this.permits.countInUse();
  }

  private countStep(vendor: string, change: 1 | -1): void {
    const running = (this.runningByVendor.get(vendor) ?? 0) + change;
    if (running === 0) this.runningByVendor.delete(vendor);
    else this.runningByVendor.set(vendor, running);
  }
}
