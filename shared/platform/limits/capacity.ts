const WINDOW_MS = 1000;
/** The estimate rises at most by this factor in a window. */
const MAX_RISE = 1.5;

/**
 * Estimates how many requests a second this service can finish, by counting those that finish in
 * windows of a second. The estimate falls only if requests waited for longer than a second: if more
 * of them were open all the time than finished in a second.
 */
export class Capacity {
  private finished = 0;
  private fewestOpen = 0;
  private startedAt: number;

  /**
   * @param perSecond the estimate, at first the one before any measurement
   * @param now returns a time in ms
   */
  constructor(
    public perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = now();
  }

  countFinished(): void {
    this.finished += 1;
  }

  /**
   * Ends the window if it is over. Call this whenever the number of open requests changes.
   * @param open the number of open requests
   */
  update(open: number): void {
    this.fewestOpen = Math.min(this.fewestOpen, open);
    const elapsed = this.now() - this.startedAt;
    if (elapsed < WINDOW_MS) return;
    const rate = (this.finished * 1000) / elapsed;
    if (rate > this.perSecond) this.perSecond = Math.min(rate, this.perSecond * MAX_RISE);
    else if (this.fewestOpen > rate) this.perSecond = (this.perSecond + rate) / 2;
    this.finished = 0;
    this.fewestOpen = open;
    this.startedAt += elapsed;
  }
}
