/**
 * A queue that serves tenants round-robin, and the members of each tenant in order of arrival.
 * However many members one tenant has, the first member of another tenant waits for at most one
 * round of tenants.
 */
export class FairQueue<Member> {
  private readonly byTenant = new Map<string, Member[]>();
  private readonly waiting = new Set<Member>();

  /** A member that already waits keeps its position. */
  push(tenantId: string, member: Member): void {
    if (this.waiting.has(member)) return;
    this.waiting.add(member);
    const members = this.byTenant.get(tenantId);
    if (members) members.push(member);
    else this.byTenant.set(tenantId, [member]);
  }

  /**
   * Removes and returns the next member of an eligible tenant. Returns undefined if no tenant is
   * eligible.
   * @param getRank if given, the eligible tenant with the lowest rank is next, and among equal
   * ranks the first in the round. Default: the first eligible tenant in the round
   */
  shift(
    isEligible: (tenantId: string) => boolean = () => true,
    getRank?: (tenantId: string) => number,
  ): Member | undefined {
    const tenantId = this.findNext(isEligible, getRank);
    if (tenantId === undefined) return undefined;
    const members = this.byTenant.get(tenantId) as Member[];
    const member = members.shift() as Member;
    this.waiting.delete(member);
    // Move the tenant to the end of the round: a Map iterates in insertion order.
    this.byTenant.delete(tenantId);
    if (members.length > 0) this.byTenant.set(tenantId, members);
    return member;
  }

  private findNext(
    isEligible: (tenantId: string) => boolean,
    getRank: ((tenantId: string) => number) | undefined,
  ): string | undefined {
    let next: string | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const tenantId of this.byTenant.keys()) {
      if (!isEligible(tenantId)) continue;
      if (!getRank) return tenantId;
      const rank = getRank(tenantId);
      if (rank >= lowest) continue;
      next = tenantId;
      lowest = rank;
    }
    return next;
  }

  /** Number of waiting members of all tenants. */
  get size(): number {
    return this.waiting.size;
  }

  countMembers(tenantId: string): number {
    return this.byTenant.get(tenantId)?.length ?? 0;
  }

  peekFirst(tenantId: string): Member | undefined {
    return this.byTenant.get(tenantId)?.[0];
  }

  remove(tenantId: string, member: Member): void {
    const members = this.byTenant.get(tenantId);
    if (!members || !this.waiting.delete(member)) return;
    members.splice(members.indexOf(member), 1);
    if (members.length === 0) this.byTenant.delete(tenantId);
  }

  dropNewestOfLargest(): Member | undefined {
    const [first, ...others] = this.byTenant;
    if (!first) return undefined;
    const [tenantId, members] = others.reduce(
      (one, other) => (other[1].length > one[1].length ? other : one),
      first,
    );
    const member = members.pop() as Member;
    this.waiting.delete(member);
    if (members.length === 0) this.byTenant.delete(tenantId);
    return member;
  }

  /** The largest number of waiting members that any tenant has. */
  get largestCount(): number {
    return Math.max(0, ...[...this.byTenant.values()].map((members) => members.length));
  }

  /** Number of tenants with a waiting member. */
  get tenantCount(): number {
    return this.byTenant.size;
  }
}
