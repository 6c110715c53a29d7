/** How many batches look first after one had to be run twice. */
const WARY_BATCHES = 100;

/**
 * Whether repeated requests come in often just now, as after an outage. Then looking first is cheaper than running whole batches twice, and nobody
 * can slow the others down by sending the same key again and again.
 */
export class Repeats {
  private waryBatches = 0;

  noteConflict(): void {
    this.waryBatches = WARY_BATCHES;
  }

  /** Asked once per batch. */
  areFrequent(): boolean {
    if (this.waryBatches === 0) return false;
    this.waryBatches -= 1;
    return true;
  }
}
