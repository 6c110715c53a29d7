import { WRITES_QUEUE, type WriteJob } from '../../shared/queues/writes.js';
import { openWorker } from '../../shared/queues/backend.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { createWritesProcessor } from './processor.js';

/** Starts consuming the writes queue. */
export function startWritesWorker(runtime: Runtime): void {
  openWorker<WriteJob>(runtime, WRITES_QUEUE, createWritesProcessor(runtime), {
    concurrency: runtime.config.writesConcurrency,
  });
}
