/**
 * A new group starts with this much less run time than the group with the least run time, so the
 * new group is next.
 */
const NEWCOMER_CREDIT_MS = 100;

interface Share {
  /** Run time of the group's work, plus the value with which the group started. */
  ms: number;
  /** Number of the group's pieces of work that wait or run. */
  present: number;
}

/**
 * Measures how long the work of each group has run, so that the group with the least run time can
 * be next. A new group starts just below the lowest run time of the groups that wait or run. A
 * returning group starts there too, unless its own run time is higher, so absence gains nothing.
 * Linux's CFS scheduler shares processors in the same way.
 */
export class RunTimeShares {
  private readonly shares = new Map<string, Share>();
  /** The lowest run time of the groups whose work waits or runs. */
  private minMs = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  getRunTimeMs(group: string): number {
    return this.shares.get(group)?.ms ?? this.minMs;
  }

  /** Call this when a piece of the group's work starts to wait. */
  join(group: string): void {
    const share = this.shares.get(group);
    if (share && share.present > 0) share.present += 1;
    else {
      const startMs = this.minMs - NEWCOMER_CREDIT_MS;
      this.shares.set(group, { ms: Math.max(share?.ms ?? startMs, startMs), present: 1 });
    }
  }

  /** Call this when a piece of the group's work has ended or was refused. */
  leave(group: string): void {
    const share = this.shares.get(group);
    if (share) share.present -= 1;
    this.updateMinimum();
  }

  /** Adds the duration of the work to the group's run time. */
  async measure<T>(group: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      const share = this.shares.get(group);
      if (share) share.ms += this.now() - startedAt;
    }
  }

  /** Number of groups whose run time is kept. */
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
