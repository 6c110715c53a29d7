export interface RecentUseOptions {
  /** Use counts half after this time, a quarter after twice as long, and so on. */
  halfLifeMs: number;
  /** Milliseconds that only grow. Default: the process's own clock. */
  now?: () => number;
}

/** Use that is older than this many half-lives counts nothing, and is forgotten. */
const REMEMBERED_HALF_LIVES = 10;

/** For how long each group's work has run lately, in milliseconds. */
export class RecentUse {
  private readonly halfLifeMs: number;
  private readonly now: () => number;
  /** In the order of their last use. */
  private readonly uses = new Map<string, { ms: number; usedAt: number }>();

  constructor({ halfLifeMs, now = () => performance.now() }: RecentUseOptions) {
    this.halfLifeMs = halfLifeMs;
    this.now = now;
  }

  msOf(group: string): number {
    const use = this.uses.get(group);
    return use ? use.ms * 0.5 ** ((this.now() - use.usedAt) / this.halfLifeMs) : 0;
  }

  /** Runs the work of a group, and remembers how long it took. */
  async measure<T>(group: string, work: () => Promise<T>): Promise<T> {
    const startedAt = this.now();
    try {
      return await work();
    } finally {
      this.add(group, this.now() - startedAt);
    }
  }

  /** Groups whose use is remembered. */
  get size(): number {
    return this.uses.size;
  }

  private add(group: string, ms: number): void {
    const total = this.msOf(group) + ms;
    this.uses.delete(group);
    this.uses.set(group, { ms: total, usedAt: this.now() });
    this.forgetOld();
  }

  private forgetOld(): void {
    const oldest = this.now() - REMEMBERED_HALF_LIVES * this.halfLifeMs;
    for (const [group, { usedAt }] of this.uses) {
      if (usedAt > oldest) return;
      this.uses.delete(group);
    }
  }
}
