import type { Worker } from 'bullmq';
import { checkReadiness, storeChecks } from '../../shared/platform/health.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { WriteJob, WritesQueue } from '../../shared/queues/writes.js';

const INTERVAL_MS = 10_000;
/** Waiting jobs that nobody takes for this long, with healthy stores, mean a worker that only looks alive. */
const MAX_IDLE_MS = 30_000;

/**
 * Ends a worker process that takes no job although jobs wait and the stores answer: the wedge that BullMQ workers were seen in after reconnects
 * (anchors/reliability.md 3). Its supervisor starts a clean one; stalled-job recovery does the rest.
 */
export function watchProgress(runtime: Runtime, queue: WritesQueue, worker: Worker<WriteJob>): void {
  const { lifecycle, logger } = runtime;
  let lastProgressAt = Date.now();
  const progress = () => {
    lastProgressAt = Date.now();
  };
  worker.on('active', progress).on('completed', progress).on('failed', progress);
  const check = async () => {
    const waiting = await queue.getWaitingCount();
    if (waiting === 0) return progress();
    if (Date.now() - lastProgressAt < MAX_IDLE_MS || !(await checkReadiness(storeChecks(runtime))).ok) return;
    logger.fatal(
      { waiting, idleMs: Date.now() - lastProgressAt },
      'jobs wait and none is taken; exiting to be restarted',
    );
    await lifecycle.close(5000);
    process.exit(1);
  };
  const timer = setInterval(
    () => void check().catch((error: unknown) => logger.warn({ err: error }, 'progress not checked')),
    INTERVAL_MS,
  );
  lifecycle.onClose('watchdog', () => clearInterval(timer));
}
