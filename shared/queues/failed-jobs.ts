import type { Worker } from 'bullmq';
import type { Runtime } from '../platform/runtime.js';

/**
 * A job that is tried again is logged this often at most, by queue and name: a store that is away
 * fails them all, in ms.
 */
const RETRY_LOGGED_EVERY_MS = 5_000;

/**
 * Makes every failed job an error line with queue, name and cause, and counts it. BullMQ keeps the
 * cause in the job alone, where nobody looks. Attempts that follow one another are gathered.
 */
export function reportFailedJobs<Data>(
  { logger, metrics }: Pick<Runtime, 'logger' | 'metrics'>,
  worker: Worker<Data>,
): void {
  const retries = new Map<string, { loggedAt: number; unlogged: number }>();
  worker.on('failed', (job, error) => {
    const queue = worker.name;
    // Without a job the queue gave it up by itself: it stalled too often.
    const name = job?.name ?? 'unknown';
    const isFinal = job === undefined || job.finishedOn !== undefined;
    metrics.failedJobs.inc({ queue, name, final: isFinal ? 'yes' : 'no' });
    const about = { err: error, queue, job: name, jobId: job?.id, attempts: job?.attemptsMade };
    if (isFinal) {
      logger.error(about, 'a job failed and is not tried again');
      return;
    }
    const retry = retries.get(name) ?? { loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    retries.set(name, retry);
    if (performance.now() - retry.loggedAt < RETRY_LOGGED_EVERY_MS) {
      retry.unlogged += 1;
      return;
    }
    logger.error({ ...about, alsoFailed: retry.unlogged }, 'a job failed and is tried again');
    retries.set(name, { loggedAt: performance.now(), unlogged: 0 });
  });
}
