import { FairQueue } from './fair-queue.js';

/** Whose turn a member waits for. */
export interface QueuePlace {
  /** Groups of a site take turns, and share its places: one group keeps no other out. */
  group: string;
  /** Groups that may have one owner, such as a block of addresses. Default: the group alone. */
  site?: string | undefined;
}

/**
 * Who is next: sites take turns, and within a site its groups do. However many groups of one site
 * wait, another's first member is at most one round of sites away.
 */
export class SiteQueue<Member> {
  private readonly bySite = new Map<string, FairQueue<Member>>();

  /** Adds a member at the end of its group's. */
  push({ group, site = group }: QueuePlace, member: Member): void {
    const queue = this.bySite.get(site) ?? new FairQueue<Member>();
    this.bySite.set(site, queue);
    queue.push(group, member);
  }

  /** Takes the next member of the first site that may have a turn; undefined: there is none. */
  shift(mayGo: (group: string) => boolean): Member | undefined {
    for (const [site, queue] of this.bySite) {
      const member = queue.shift(mayGo);
      if (!member) continue;
      // To the end of the round: a Map keeps the order of insertion.
      this.bySite.delete(site);
      if (queue.size > 0) this.bySite.set(site, queue);
      return member;
    }
    return undefined;
  }

  /** Members that wait, of all sites. */
  get size(): number {
    let size = 0;
    for (const queue of this.bySite.values()) size += queue.size;
    return size;
  }

  /** Members of one group that wait. */
  countOf({ group, site = group }: QueuePlace): number {
    return this.bySite.get(site)?.countOf(group) ?? 0;
  }

  /** Removes a member that waits no longer. */
  remove({ group, site = group }: QueuePlace, member: Member): void {
    const queue = this.bySite.get(site);
    queue?.remove(group, member);
    if (queue?.size === 0) this.bySite.delete(site);
  }

  /**
   * Removes the last member of the site that has the most waiting, so that one of `place` may wait
   * instead; within its own site, of the group that has the most. Undefined: none has more than
   * `place` would have then.
   */
  dropFor({ group, site = group }: QueuePlace): Member | undefined {
    const own = this.bySite.get(site);
    const [largest, queue] = this.largest ?? [];
    if (largest !== undefined && queue && queue.size > (own?.size ?? 0) + 1)
      return this.dropOf(largest, queue);
    if (own && own.largestCount > own.countOf(group) + 1) return this.dropOf(site, own);
    return undefined;
  }

  private get largest(): [string, FairQueue<Member>] | undefined {
    const [first, ...others] = this.bySite;
    return first && others.reduce((one, other) => (other[1].size > one[1].size ? other : one), first);
  }

  private dropOf(site: string, queue: FairQueue<Member>): Member | undefined {
    const member = queue.dropOfLargest();
    if (queue.size === 0) this.bySite.delete(site);
    return member;
  }
}
