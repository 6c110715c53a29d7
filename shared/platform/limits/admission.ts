import { Capacity } from './capacity.js';
import type { LoopBudget } from './loop-budget.js';

/**
 * Limits the open requests to the number that the service finishes in this time. A further request
 * would wait longer, so the service refuses it, and the client should send it later.
 */
const MAX_WAIT_SECONDS = 1;
/**
 * The event loop's budget refuses requests only if at least this fraction of the minimum is open.
 */
const MIN_PART_WITHIN_BUDGET = 0.1;

/**
 * Limits how many requests are open at a time. The limit follows the measured capacity of the
 * service. At the limit, a tenant with less than an equal share of the open requests may still send
 * requests. One tenant's flood therefore does not block the others.
 */
export class Admission {
  private readonly openByTenant = new Map<string, number>();
  private open = 0;

  /**
   * @param min the lowest value of the limit, even if the service is slow
   * @param budget the time that this process has for requests
   */
  constructor(
    private readonly min: number,
    private readonly budget: Pick<LoopBudget, 'isUsedUp'>,
    private readonly capacity = new Capacity(min / MAX_WAIT_SECONDS),
  ) {}

  /**
   * True if the limit is reached. Tenants with an equal share or more may then send no further
   * request.
   */
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
   * tenant may send no further request. Only successful requests count towards the capacity,
   * because errors may take little time.
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
