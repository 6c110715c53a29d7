import type { Worker } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';

/**
 * Retried jobs are logged at most once per interval for each queue and job name, because an
 * unreachable store fails all of them.
 */
const RETRY_LOGGED_EVERY_MS = 5_000;

/**
 * Counts every failed job and logs an error with queue, name and cause. BullMQ stores the cause
 * only in the job. Repeated failures of retried jobs are combined into one log entry.
 */
export function reportFailedJobs<Data>(
  { logger, metrics }: Pick<Runtime, 'logger' | 'metrics'>,
  worker: Worker<Data>,
): void {
  const retries = new Map<string, { loggedAt: number; unlogged: number }>();
  worker.on('failed', (job, error) => {
    const queue = worker.name;
    // BullMQ passes no job when it failed the job itself, after too many stalls.
    const name = job?.name ?? 'unknown';
    const isFinal = job === undefined || job.finishedOn !== undefined;
    metrics.failedJobs.inc({ queue, name, final: isFinal ? 'yes' : 'no' });
    const context = { err: error, queue, job: name, jobId: job?.id, attempts: job?.attemptsMade };
    if (isFinal) {
      logger.error(context, 'a job failed and is not tried again');
      return;
    }
    const retry = retries.get(name) ?? { loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    retries.set(name, retry);
    if (performance.now() - retry.loggedAt < RETRY_LOGGED_EVERY_MS) {
      retry.unlogged += 1;
      return;
    }
    logger.error({ ...context, alsoFailed: retry.unlogged }, 'a job failed and is tried again');
    retries.set(name, { loggedAt: performance.now(), unlogged: 0 });
  });
}
