/** A group that comes anew is this far ahead of all others, so it is next. */
const NEWCOMER_CREDIT_MS = 100;

interface Share {
  /** For how long work of the group has run, counted from where it came in. */
  ms: number;
  /** Pieces of its work that wait or run. */
  present: number;
}

/**
 * For how long each group's work has run, to find the group that has had the least. A group that
 * comes anew begins where the group with the least is: nobody saves time up while absent, and time
 * that nobody else wanted is not held against a group. (Linux shares its processors in this way.)
 */
export class TimeShares {
  private readonly shares = new Map<string, Share>();
  /** What the group with the least has had, of those that are present. */
  private least = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  msOf(group: string): number {
    return this.shares.get(group)?.ms ?? this.least;
  }

  /** A piece of work of the group comes in. */
  join(group: string): void {
    const share = this.shares.get(group);
    if (share && share.present > 0) share.present += 1;
    else {
      const begin = this.least - NEWCOMER_CREDIT_MS;
      this.shares.set(group, { ms: Math.max(share?.ms ?? begin, begin), present: 1 });
    }
  }

  /** The piece of work has ended, or was refused. */
  leave(group: string): void {
    const share = this.shares.get(group);
    if (share) share.present -= 1;
    this.update();
  }

  /** Runs a piece of work, and counts how long it took. */
  async measure<T>(group: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      const share = this.shares.get(group);
      if (share) share.ms += this.now() - startedAt;
    }
  }

  /** Groups that are present, or whose time still counts. */
  get size(): number {
    return this.shares.size;
  }

  private update(): void {
    const present = [...this.shares.values()].filter((share) => share.present > 0);
    if (present.length === 0) {
      this.shares.clear();
      this.least = 0;
      return;
    }
    this.least = Math.max(this.least, Math.min(...present.map(({ ms }) => ms)));
    for (const [group, { ms, present: count }] of this.shares)
      if (count === 0 && ms <= this.least - NEWCOMER_CREDIT_MS) this.shares.delete(group);
  }
}
