import { Capacity } from './capacity.js';
import type { LoopBudget } from './loop-budget.js';

/**
 * As many requests may be open as the service finishes in this time. A further request would wait
 * for too long, so it is refused, and its client should send it later.
 */
const MAX_WAIT_SECONDS = 1;
/**
 * While fewer requests than this part of the minimum are open, the budget of the event loop refuses
 * none.
 */
const MIN_PART_WITHIN_BUDGET = 0.1;

/**
 * Limits how many requests are open at a time. The limit follows what the service can do. When it
 * is reached, tenants that have less than an equal share of it may still send requests. So a flood
 * of one tenant does not refuse the requests of the others.
 */
export class Admission {
  private readonly openByTenant = new Map<string, number>();
  private open = 0;

  /**
   * @param min the number of requests that may be open, however slow the service is
   * @param budget the time of this process
   */
  constructor(
    private readonly min: number,
    private readonly budget: Pick<LoopBudget, 'isUsedUp'>,
    private readonly capacity = new Capacity(min / MAX_WAIT_SECONDS),
  ) {}

  /** True if some tenants may send no further request. */
  get isFull(): boolean {
    if (this.open >= this.limit) return true;
    return this.open >= this.min * MIN_PART_WITHIN_BUDGET && this.budget.isUsedUp;
  }

  isFullFor(tenantId: string): boolean {
    this.updateCapacity();
    if (!this.isFull) return false;
    const own = this.openByTenant.get(tenantId) ?? 0;
    const tenants = this.openByTenant.size + (own === 0 ? 1 : 0);
    return own >= Math.min(this.limit, this.open) / tenants;
  }

  /**
   * Opens a request of a tenant. Returns a function that ends the request, or undefined if the
   * tenant may send no further one. Only requests that succeeded show what the service can do,
   * because errors can be cheap.
   */
  enter(tenantId: string): ((result: { hasSucceeded: boolean }) => void) | undefined {
    if (this.isFullFor(tenantId)) return undefined;
    this.change(tenantId, 1);
    return ({ hasSucceeded }) => {
      this.change(tenantId, -1);
      if (hasSucceeded) this.capacity.countFinished();
      this.updateCapacity();
    };
  }

  private get limit(): number {
    return Math.max(this.capacity.perSecond * MAX_WAIT_SECONDS, this.min);
  }

  private change(tenantId: string, by: 1 | -1): void {
    const own = (this.openByTenant.get(tenantId) ?? 0) + by;
    if (own === 0) this.openByTenant.delete(tenantId);
    else this.openByTenant.set(tenantId, own);
    this.open += by;
  }

  private updateCapacity(): void {
    this.capacity.update(this.open);
  }
}
