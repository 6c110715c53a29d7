/** Number of cautious batches after a batch had to run twice. */
const CAUTIOUS_BATCHES = 100;

/**
 * Decides whether batches are cautious: whether they search for existing results before they run.
 * After an outage clients repeat many requests. The search is then cheaper than running whole
 * batches twice, and a client that repeats one key cannot slow down the others.
 */
export class ConflictMonitor {
  private cautiousBatchesLeft = 0;

  /** Makes the next batches cautious, because a batch had to run twice. */
  recordConflict(): void {
    this.cautiousBatchesLeft = CAUTIOUS_BATCHES;
  }

  /** Returns whether the next batch is cautious. Call it once per batch, because it counts down. */
  isNextBatchCautious(): boolean {
    if (this.cautiousBatchesLeft === 0) return false;
    this.cautiousBatchesLeft -= 1;
    return true;
  }
}
