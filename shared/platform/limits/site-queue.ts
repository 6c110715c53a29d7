import { FairQueue } from './fair-queue.js';

export interface FairShareKey {
  /** The queue serves the groups of a site round-robin, so one group cannot block another. */
  group: string;
  /** Groups that may belong to one owner, such as a block of addresses. Default: one site. */
  site?: string | undefined;
}

const ONLY_SITE = '';

/**
 * Serves sites round-robin, and the groups of a site round-robin. However many groups of one site
 * wait, another site waits at most one round of sites for its first member.
 */
export class SiteQueue<Member> {
  private readonly bySite = new Map<string, FairQueue<Member>>();

  push({ group, site = ONLY_SITE }: FairShareKey, member: Member): void {
    const queue = this.bySite.get(site) ?? new FairQueue<Member>();
    this.bySite.set(site, queue);
    queue.push(group, member);
  }

  /**
   * Removes and returns the next member of the first site with an eligible group;
   * undefined when no group is eligible.
   * @param getRank within a site, serve the group with the lowest rank. Default: round-robin
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

  /** Waiting members of all sites. */
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
   * Makes room for a member of `place`. Removes and returns the newest member of the site with the
   * most waiting members, or of the largest group in the site of `place`. Returns undefined when no
   * other site or group would have more members than `place` after the addition.
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
