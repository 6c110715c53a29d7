/** A new group starts with this much less time than every other group, so it is served next. */
const NEWCOMER_CREDIT_MS = 100;

interface Share {
  /** Run time of the group's work, counted from the value at which the group joined. */
  ms: number;
  /** Number of its pieces of work that wait or run. */
  present: number;
}

/**
 * Tracks how long each group's work has run, to find the group with the least run time. A new group
 * starts at the current minimum. A group therefore neither saves up time while it is absent nor
 * pays for time that no other group wanted. Linux's CFS scheduler shares processors in the same
 * way.
 */
export class RunTimeShares {
  private readonly shares = new Map<string, Share>();
  /** The lowest run time of the present groups. */
  private minMs = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  getRunTimeMs(group: string): number {
    return this.shares.get(group)?.ms ?? this.minMs;
  }

  /** A piece of work of the group starts to wait. */
  join(group: string): void {
    const share = this.shares.get(group);
    if (share && share.present > 0) share.present += 1;
    else {
      const startMs = this.minMs - NEWCOMER_CREDIT_MS;
      this.shares.set(group, { ms: Math.max(share?.ms ?? startMs, startMs), present: 1 });
    }
  }

  /** A piece of work of the group has ended or was refused. */
  leave(group: string): void {
    const share = this.shares.get(group);
    if (share) share.present -= 1;
    this.updateMinimum();
  }

  /** Runs a piece of work and adds its duration to the group's run time. */
  async measure<T>(group: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      const share = this.shares.get(group);
      if (share) share.ms += this.now() - startedAt;
    }
  }

  /** Number of groups that are present or whose run time still counts. */
  get size(): number {
    return this.shares.size;
  }

  private updateMinimum(): void {
    const present = [...this.shares.values()].filter((share) => share.present > 0);
    if (present.length === 0) {
      this.shares.clear();
      this.minMs = 0;
      return;
    }
    this.minMs = Math.max(this.minMs, Math.min(...present.map(({ ms }) => ms)));
    for (const [group, { ms, present: count }] of this.shares)
      if (count === 0 && ms <= this.minMs - NEWCOMER_CREDIT_MS) this.shares.delete(group);
  }
}
