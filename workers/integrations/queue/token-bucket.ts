/**
 * Limits how often a connection calls its vendor. A count in this process is enough, because only
 * the process with the connection's lease calls the vendor.
 */
export class TokenBucket {
  private tokens = 1;
  private at: number;

  constructor(
    private readonly limits: { perSecond: number; burst: number },
    private readonly now: () => number = () => performance.now(),
  ) {
    this.at = now();
  }

  get waitMs(): number {
    this.refill();
    return this.tokens >= 1 ? 0 : Math.ceil(((1 - this.tokens) / this.limits.perSecond) * 1000);
  }

  take(): void {
    this.refill();
    this.tokens -= 1;
  }

  private refill(): void {
    const now = this.now();
    this.tokens = Math.min(this.limits.burst, this.tokens + ((now - this.at) / 1000) * this.limits.perSecond);
    this.at = now;
  }
}
