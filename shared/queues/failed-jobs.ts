import type { Worker } from 'bullmq';
import type { Runtime } from '../platform/process/runtime.js';

/**
 * Failures of jobs with the same name share one log entry per interval. Otherwise an unreachable
 * store, which makes all jobs fail, would flood the log.
 */
const INTERVAL_MS = 5_000;

type FailedJob = Record<string, unknown>;

/**
 * Counts every failure of a job. Logs failures with queue, name and error, because BullMQ stores
 * the error only in the job. A final failure is always logged. The log entries about failures that
 * will be retried are limited: for each job name, the first is logged immediately, then at most one
 * per interval.
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
    // BullMQ passes no job if BullMQ itself failed the job after too many stalls.
    const name = job?.name ?? 'unknown';
    const isFinal = job === undefined || job.finishedOn !== undefined;
    metrics.failedJobs.inc({ queue, name, final: isFinal ? 'yes' : 'no' });
    const context = { err: error, queue, job: name, jobId: job?.id, attempts: job?.attemptsMade };
    if (isFinal) logger.error(context, 'a job failed and is not tried again');
    else logRetry(name, context);
  });
}

/**
 * Returns a function that logs the first failed job of each name immediately. Later failures with
 * the same name wait until the end of the interval. Then the last of them is logged, and
 * `alsoFailed` is the number of the others.
 */
function limitLogEntries(log: (job: FailedJob, alsoFailed: number) => void) {
  /** Jobs that were not logged yet, by name. A name without a running interval has no entry. */
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
