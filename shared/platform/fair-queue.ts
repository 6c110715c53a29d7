/**
 * Who is next: tenants take turns, and within a tenant its members do. However much waits for one tenant, another's first member is at most one round of
 * tenants away.
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

  /** Takes the next member of the first tenant that may have a turn; undefined when there is none. */
  shift(mayGo: (tenantId: string) => boolean = () => true): Member | undefined {
    for (const [tenantId, members] of this.byTenant) {
      if (!mayGo(tenantId)) continue;
      const member = members.shift() as Member;
      this.waiting.delete(member);
      // To the end of the round: a Map keeps the order of insertion.
      this.byTenant.delete(tenantId);
      if (members.length > 0) this.byTenant.set(tenantId, members);
      return member;
    }
    return undefined;
  }

  /** Tenants that have a member waiting. */
  get tenants(): number {
    return this.byTenant.size;
  }
}
