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
  // The watchdog ends a process that hangs, so it needs a supervisor that restarts the process.
  // Only scaled-out processes have a supervisor, and only scaled-out processes use Redis.
  if (runtime.redis) watchProgress(runtime, queue, worker);
}
