import type { Worker } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';

/** An unreachable store fails all jobs, so each job name is logged once in this time. */
const INTERVAL_MS = 5_000;

type FailedJob = Record<string, unknown>;

/**
 * Counts every failed job and logs its queue, name and cause, which BullMQ stores only in the
 * job. The failures of retried jobs within an interval share one log entry at its end. The
 * first failure is logged immediately.
 */
export function reportFailedJobs<Data>(
  { logger, metrics }: Pick<Runtime, 'logger' | 'metrics'>,
  worker: Pick<Worker<Data>, 'name' | 'on'>,
): void {
  const logRetry = limitLogEntries((job, alsoFailed) =>
    logger.error({ ...job, alsoFailed }, 'a job failed and is tried again'),
  );
  worker.on('failed', (job, error) => {
    const queue = worker.name;
    // BullMQ passes no job when it failed the job itself, after too many stalls.
    const name = job?.name ?? 'unknown';
    const isFinal = job === undefined || job.finishedOn !== undefined;
    metrics.failedJobs.inc({ queue, name, final: isFinal ? 'yes' : 'no' });
    const context = { err: error, queue, job: name, jobId: job?.id, attempts: job?.attemptsMade };
    if (isFinal) logger.error(context, 'a job failed and is not tried again');
    else logRetry(name, context);
  });
}

/**
 * Logs the first job of a name immediately. At the end of the interval, logs the last job that
 * followed, with the number of the others.
 */
function limitLogEntries(log: (job: FailedJob, alsoFailed: number) => void) {
  /** Jobs since the latest log entry, by name. A name is absent when its interval is over. */
  const waiting = new Map<string, { count: number; last?: FailedJob }>();
  const beginInterval = (name: string) => {
    waiting.set(name, { count: 0 });
    setTimeout(endInterval, INTERVAL_MS, name).unref();
  };
  const endInterval = (name: string) => {
    const { count = 0, last } = waiting.get(name) ?? {};
    waiting.delete(name);
    if (!last) return;
    log(last, count - 1);
    beginInterval(name);
  };
  return (name: string, job: FailedJob) => {
    const jobs = waiting.get(name);
    if (jobs) {
      waiting.set(name, { count: jobs.count + 1, last: job });
      return;
    }
    log(job, 0);
    beginInterval(name);
  };
}
