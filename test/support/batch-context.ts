import type { Runtime } from '../../shared/platform/runtime.js';
import { Repeats } from '../../workers/writes/repeats.js';
import type { BatchContext } from '../../workers/writes/run-batch.js';

/** What a writes worker runs batches with, for tests that give it commands without a queue. */
export function batchContextOf({ config, db, logger }: Runtime): BatchContext {
  return { config, db, logger, repeats: new Repeats(), beforeCommit: () => undefined };
}
