const WINDOW_MS = 1000;
/**
 * Estimates how many requests a second this service can finish, by counting those that finish in
 * windows of a second. A window shows the capacity only if enough requests waited all the time.
 * Other windows can raise the estimate, but not lower it.
 */
export class Capacity {
  private finished = 0;
  private wasBusy = false;
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
   * Ends the window if it is over. Call this often.
   * @param isBusy whether so many requests wait that the service has no pause
   */
  update(isBusy: boolean): void {
    this.wasBusy &&= isBusy;
    const elapsed = this.now() - this.startedAt;
    if (elapsed < WINDOW_MS) return;
    const rate = (this.finished * 1000) / elapsed;
    if (rate > this.perSecond) this.perSecond = rate;
    else if (this.wasBusy) this.perSecond = (this.perSecond + rate) / 2;
    this.finished = 0;
    this.wasBusy = isBusy;
    this.startedAt += elapsed;
  }
}
