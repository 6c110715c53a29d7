import { FairQueue } from './fair-queue.js';

export interface FairShareKey {
  /**
   * The party that gets a fair share of the capacity, for example a tenant or a client's network.
   * The queue serves the groups of a site round-robin, so one group cannot block another.
   */
  group: string;
  /**
   * A set of groups that may belong to one owner, for example a block of addresses. Default: one
   * site for all groups.
   */
  site?: string | undefined;
}

const ONLY_SITE = '';

/**
 * A queue that serves sites round-robin, and within a site its groups round-robin. However many
 * groups of one site wait, the first member of another site waits for at most one round of sites.
 */
export class SiteQueue<Member> {
  private readonly bySite = new Map<string, FairQueue<Member>>();

  push({ group, site = ONLY_SITE }: FairShareKey, member: Member): void {
    const queue = this.bySite.get(site) ?? new FairQueue<Member>();
    this.bySite.set(site, queue);
    queue.push(group, member);
  }

  /**
   * Removes and returns the next member of the first site with an eligible group. Returns undefined
   * if no group is eligible.
   * @param getRank if given, the site's eligible group with the lowest rank is next. Default:
   * round-robin
   */
  shift(isEligible: (group: string) => boolean, getRank?: (group: string) => number): Member | undefined {
    for (const [site, queue] of this.bySite) {
      const member = queue.shift(isEligible, getRank);
      if (!member) continue;
      // Move the site to the end of the round: a Map iterates in insertion order.
      this.bySite.delete(site);
      if (queue.size > 0) this.bySite.set(site, queue);
      return member;
    }
    return undefined;
  }

  /** Number of waiting members of all sites. */
  get size(): number {
    let size = 0;
    for (const queue of this.bySite.values()) size += queue.size;
    return size;
  }

  countMembers({ group, site = ONLY_SITE }: FairShareKey): number {
    return this.bySite.get(site)?.countMembers(group) ?? 0;
  }

  remove({ group, site = ONLY_SITE }: FairShareKey, member: Member): void {
    const queue = this.bySite.get(site);
    queue?.remove(group, member);
    if (queue?.size === 0) this.bySite.delete(site);
  }

  /**
   * Makes room for a new member of `place` by removing another member. Returns the removed member,
   * or undefined if it removes none.
   * First compares sites. If the largest site has at least two more members than the site of
   * `place`, removes the newest member of the largest site's largest group.
   * Otherwise compares the groups within the site of `place`. If the largest of these groups has at
   * least two more members than the group of `place`, removes the newest member of the largest
   * group.
   */
  makeRoomFor({ group, site = ONLY_SITE }: FairShareKey): Member | undefined {
    const own = this.bySite.get(site);
    const [largest, queue] = this.largest ?? [];
    if (largest !== undefined && queue && queue.size > (own?.size ?? 0) + 1)
      return this.dropNewest(largest, queue);
    if (own && own.largestCount > own.countMembers(group) + 1) return this.dropNewest(site, own);
    return undefined;
  }

  private get largest(): [string, FairQueue<Member>] | undefined {
    const [first, ...others] = this.bySite;
    return first && others.reduce((one, other) => (other[1].size > one[1].size ? other : one), first);
  }

  private dropNewest(site: string, queue: FairQueue<Member>): Member | undefined {
    const member = queue.dropNewestOfLargest();
    if (queue.size === 0) this.bySite.delete(site);
    return member;
  }
}
