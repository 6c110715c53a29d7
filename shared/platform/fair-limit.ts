export interface FairLimitOptions {
  maxRunning: number;
  /** How much of it one key may take. */
  maxRunningPerKey: number;
  maxQueuedPerKey: number;
  maxWaitMs: number;
}

/** The work never started: too much of its key was queued already, or it waited too long. */
export class FairLimitError extends Error {
  override readonly name = 'FairLimitError';
}

interface Share {
  running: number;
  /** Starts the work that waits; the first one waits longest. */
  queue: (() => void)[];
}

/** A concurrency limit that is shared fairly: each key has a bounded part of it, and keys that wait are served in rotation, however much one of them queues. */
export class FairLimit {
  /** In order of service: a key moves to the end when one of its works starts. */
  private readonly shares = new Map<string, Share>();
  private running = 0;

  constructor(private readonly options: FairLimitOptions) {}

  /** Runs the work when its key is served. @throws {FairLimitError} when it cannot start in time */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  private enter(key: string): Promise<void> {
    const share = this.shares.get(key) ?? { running: 0, queue: [] };
    this.shares.set(key, share);
    if (share.queue.length >= this.options.maxQueuedPerKey)
      return Promise.reject(new FairLimitError('too many are queued'));
    const entered = new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        share.queue.splice(share.queue.indexOf(start), 1);
        this.forget(key, share);
        reject(new FairLimitError('waited too long'));
      }, this.options.maxWaitMs);
      share.queue.push(start);
    });
    this.serve();
    return entered;
  }

  private leave(key: string): void {
    const share = this.shares.get(key) as Share;
    share.running -= 1;
    this.running -= 1;
    this.forget(key, share);
    this.serve();
  }

  private serve(): void {
    const { maxRunning, maxRunningPerKey } = this.options;
    for (const [key, share] of this.shares) {
      if (this.running >= maxRunning) return;
      if (share.queue.length === 0 || share.running >= maxRunningPerKey) continue;
      share.running += 1;
      this.running += 1;
      // Others that wait come before its next one.
      this.shares.delete(key);
      this.shares.set(key, share);
      share.queue.shift()?.();
    }
  }

  private forget(key: string, share: Share): void {
    if (share.running === 0 && share.queue.length === 0) this.shares.delete(key);
  }
}
