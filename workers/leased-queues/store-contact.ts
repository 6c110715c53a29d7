/** Interval between lease renewals. Two renewals may fail before the leases end. */
export const RENEW_MS = 4000;
/**
 * Longer than this without an answer counts as an outage. It is shorter than the time after which
 * a lease that is renewed in time can end.
 */
const OUTAGE_MS = RENEW_MS * 2;
/**
 * How long after an outage the other processes need to renew their leases and to store what they
 * could not store during the outage.
 */
const GRACE_MS = 6000;

/**
 * Remembers when PostgreSQL last answered. During an outage no process can renew its leases, so
 * they end although the processes are alive. If another process took such leases right after the
 * outage, it would repeat requests whose results the first process has not stored yet.
 *
 * All times are in ms by performance.now().
 */
export class StoreContact {
  private reconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(private answeredAt: number) {}

  /** Records that PostgreSQL has just answered. */
  noteAnswer(now: number): void {
    if (now - this.answeredAt > OUTAGE_MS) this.reconnectedAt = now;
    this.answeredAt = now;
  }

  /** True if a lease that has ended shows that its process is gone. */
  mayTakeEndedLeases(now: number): boolean {
    return now - this.answeredAt <= OUTAGE_MS && now - this.reconnectedAt > GRACE_MS;
  }
}
