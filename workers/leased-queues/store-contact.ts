/** Interval between lease renewals. Two renewals may fail before the leases end. */
export const RENEW_MS = 4000;
/**
 * PostgreSQL counts as unreachable if it has not responded for this time. A lease that was renewed
 * in time lasts longer than this time.
 */
const OUTAGE_MS = RENEW_MS * 2;
/**
 * After an outage, other processes get this time to renew their leases and to store their results.
 */
const GRACE_MS = 6000;

/**
 * Remembers when PostgreSQL last responded. During an outage no process can renew its leases, so
 * leases end although their processes are alive. Such a process may have results that it could not
 * store. If another process took its leases right after the outage, the other process would repeat
 * the requests.
 *
 * All times are in ms by performance.now().
 */
export class StoreContact {
  private reconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(private answeredAt: number) {}

  /** Records that PostgreSQL has just responded. */
  noteAnswer(now: number): void {
    if (now - this.answeredAt > OUTAGE_MS) this.reconnectedAt = now;
    this.answeredAt = now;
  }

  /**
   * True if an ended lease proves that its process is dead. False during an outage and shortly
   * after an outage.
   */
  mayTakeEndedLeases(now: number): boolean {
    return now - this.answeredAt <= OUTAGE_MS && now - this.reconnectedAt > GRACE_MS;
  }
}
