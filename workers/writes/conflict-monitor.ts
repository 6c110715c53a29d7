const CAUTIOUS_BATCHES = 100;

/**
 * A cautious batch searches for existing results before it runs. After an outage, clients repeat
 * many requests, and the search is cheaper than running whole batches twice. A client that repeats
 * one key therefore cannot slow down the others.
 */
export class ConflictMonitor {
  private cautiousBatchesLeft = 0;

  recordConflict(): void {
    this.cautiousBatchesLeft = CAUTIOUS_BATCHES;
  }

  /** Call it once per batch, because it counts down. */
  isNextBatchCautious(): boolean {
    if (this.cautiousBatchesLeft === 0) return false;
    this.cautiousBatchesLeft -= 1;
    return true;
  }
}
