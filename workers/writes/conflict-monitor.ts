const CAUTIOUS_BATCHES = 100;

/**
 * Decides which batches are cautious. A cautious batch searches for existing results before it
 * runs. After a conflict, the next 100 batches are cautious, because conflicts come in series:
 * clients repeat many requests after an outage. In such a series, the search is cheaper than
 * running whole batches twice.
 */
export class ConflictMonitor {
  private cautiousBatchesLeft = 0;

  recordConflict(): void {
    this.cautiousBatchesLeft = CAUTIOUS_BATCHES;
  }

  /**
   * Returns whether the next batch must be cautious. Call this once per batch, because each call
   * counts down.
   */
  isNextBatchCautious(): boolean {
    if (this.cautiousBatchesLeft === 0) return false;
    this.cautiousBatchesLeft -= 1;
    return true;
  }
}
