import type { Worker } from 'bullmq';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { WriteJob, WritesQueue } from '../../shared/queues/writes.js';
import { checkReadiness, createStoreChecks } from '../../shared/server/health.js';

const CHECK_INTERVAL_MS = 10_000;
/** The worker counts as hanging if jobs wait for this time although the stores respond. */
const MAX_IDLE_MS = 30_000;

/**
 * Ends a worker process that starts no job although jobs wait and the stores respond. BullMQ
 * workers can hang like this after a reconnect
 * (https://github.com/taskforcesh/bullmq/issues/2964). The supervisor then starts a new process,
 * and stalled-job recovery runs the interrupted jobs again.
 */
export function watchProgress(runtime: Runtime, queue: WritesQueue, worker: Worker<WriteJob>): void {
  const { lifecycle, logger } = runtime;
  let lastProgressAt = Date.now();
  const recordProgress = () => {
    lastProgressAt = Date.now();
  };
  worker.on('active', recordProgress).on('completed', recordProgress).on('failed', recordProgress);
  const check = async () => {
    const waiting = await queue.getWaitingCount();
    if (waiting === 0) return recordProgress();
    if (Date.now() - lastProgressAt < MAX_IDLE_MS || !(await checkReadiness(createStoreChecks(runtime))).ok)
      return;
    logger.fatal(
      { waiting, idleMs: Date.now() - lastProgressAt },
      'jobs are waiting but the worker starts none; exiting so that the supervisor restarts it',
    );
    await lifecycle.close(5000);
    process.exit(1);
  };
  const timer = setInterval(
    () =>
      void check().catch((error: unknown) =>
        logger.warn({ err: error }, 'could not check the progress of the queue'),
      ),
    CHECK_INTERVAL_MS,
  );
  lifecycle.onClose('watchdog', () => clearInterval(timer));
}
