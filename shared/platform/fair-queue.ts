/**
 * Who is next: tenants take turns, and within a tenant its members do. However much waits for one
 * tenant, another's first member is at most one round of tenants away.
 */
export class FairQueue<Member> {
  private readonly byTenant = new Map<string, Member[]>();
  private readonly waiting = new Set<Member>();

  /** Adds a member at the end of its tenant's; one that waits already keeps its place. */
  push(tenantId: string, member: Member): void {
    if (this.waiting.has(member)) return;
    this.waiting.add(member);
    const members = this.byTenant.get(tenantId);
    if (members) members.push(member);
    else this.byTenant.set(tenantId, [member]);
  }

  /**
   * Takes the next member of the first tenant that may have a turn; undefined when there is none.
   * @param rankOf the tenant with the lowest comes first, the first of equals. Default: the first
   */
  shift(
    mayGo: (tenantId: string) => boolean = () => true,
    rankOf?: (tenantId: string) => number,
  ): Member | undefined {
    const tenantId = this.findNext(mayGo, rankOf);
    if (tenantId === undefined) return undefined;
    const members = this.byTenant.get(tenantId) as Member[];
    const member = members.shift() as Member;
    this.waiting.delete(member);
    // To the end of the round: a Map keeps the order of insertion.
    this.byTenant.delete(tenantId);
    if (members.length > 0) this.byTenant.set(tenantId, members);
    return member;
  }

  private findNext(
    mayGo: (tenantId: string) => boolean,
    rankOf: ((tenantId: string) => number) | undefined,
  ): string | undefined {
    let next: string | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const tenantId of this.byTenant.keys()) {
      if (!mayGo(tenantId)) continue;
      if (!rankOf) return tenantId;
      const rank = rankOf(tenantId);
      if (rank >= lowest) continue;
      next = tenantId;
      lowest = rank;
    }
    return next;
  }

  /** Members that wait, of all tenants. */
  get size(): number {
    return this.waiting.size;
  }

  /** Members of one tenant that wait. */
  countOf(tenantId: string): number {
    return this.byTenant.get(tenantId)?.length ?? 0;
  }

  /** The member of a tenant that comes next. */
  firstOf(tenantId: string): Member | undefined {
    return this.byTenant.get(tenantId)?.[0];
  }

  /** Removes a member that waits no longer. */
  remove(tenantId: string, member: Member): void {
    const members = this.byTenant.get(tenantId);
    if (!members || !this.waiting.delete(member)) return;
    members.splice(members.indexOf(member), 1);
    if (members.length === 0) this.byTenant.delete(tenantId);
  }

  /** Removes the member that came last of the tenant that has the most waiting. */
  dropOfLargest(): Member | undefined {
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

  /** How many wait of the tenant that has the most waiting. */
  get largestCount(): number {
    return Math.max(0, ...[...this.byTenant.values()].map((members) => members.length));
  }

  /** Tenants that have a member waiting. */
  get tenants(): number {
    return this.byTenant.size;
  }
}
