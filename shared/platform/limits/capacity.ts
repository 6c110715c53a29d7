const WINDOW_MS = 1000;
/** The maximum factor by which the estimate rises per window. */
const MAX_RISE = 1.5;

/**
 * Estimates how many requests per second this service can finish. Counts the requests that finish
 * in windows of one second. The estimate falls only if requests waited for longer than a second. In
 * a window with such waits, more requests are open at any time than finish within the window.
 */
export class Capacity {
  private finished = 0;
  private fewestOpen = 0;
  private startedAt: number;

  /**
   * @param perSecond the estimate; initially a guess, because no window was measured yet
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
