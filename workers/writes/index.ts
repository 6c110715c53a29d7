import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import { openWritesQueue, WRITES_QUEUE, type WriteJob } from '../../shared/queues/writes.js';
import { createWritesProcessor } from './processor.js';
import { watchProgress } from './watchdog.js';

export function startWritesWorker(runtime: Runtime): void {
  const queue = openWritesQueue(runtime);
  addQueueGauges(runtime, queue);
  const worker = openWorker<WriteJob>(runtime, WRITES_QUEUE, createWritesProcessor(runtime), {
    concurrency: runtime.config.writesConcurrency,
  });
  // Only scaled-out processes, which use Redis, have a supervisor that restarts them after the
  // watchdog ends them.
  if (runtime.redis) watchProgress(runtime, queue, worker);
}
