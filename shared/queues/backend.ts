import { type JobsOptions, type Processor, Queue, type Worker, type WorkerOptions } from 'bullmq';
import { buildAppSessionOptions } from '../platform/postgres/session.js';
import { QUEUE_PREFIX } from '../platform/process/redis.js';
import type { Runtime } from '../platform/process/runtime.js';
import { createQueueBackend, PostgresWorker } from './backends/postgres-worker.js';
import { connectWorker, RedisWorker } from './backends/redis-worker.js';
import { reportFailedJobs } from './failed-jobs.js';

/** How long a worker waits after PostgreSQL refused a connection. BullMQ's default is 15 s. */
const REFUSED_PAUSE_MS = 1000;

/**
 * A job whose worker was killed (kill -9) runs again once its lock has expired and a stall check
 * has found it. This takes at most the lock duration plus two check intervals. By default, BullMQ
 * fails a job after one stall, but here stalls must never fail a job. Instead, PostgreSQL counts
 * the attempts of each command, so that a command that keeps killing its worker is parked.
 */
const STALL_SETTINGS = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000 } as const;

/**
 * Options of wake-up jobs. A wake-up job fails only if our own store fails, never because of a
 * third party. A job that has used its attempts is removed. Otherwise BullMQ would ignore the
 * clock's new job with the same id.
 */
export const WAKE_UP_JOB_OPTIONS = {
  attempts: 20,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

const failedAdds = new WeakSet<object>();

/** True if the error came from adding a job, which fails only when the queue is unreachable. */
export function isQueueFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failedAdds.has(error);
}

/** Makes {@link isQueueFailure} recognize errors from adding jobs to this queue. */
function trackFailedAdds(queue: Pick<Queue, 'add'>): void {
  const add = queue.add.bind(queue);
  queue.add = (...job) =>
    add(...job).catch((error: unknown) => {
      if (typeof error === 'object' && error !== null) failedAdds.add(error);
      throw error;
    });
}

/**
 * Maximum number of PostgreSQL connections for one queue. More are unnecessary, because one job
 * contains many commands.
 */
const BACKEND_POOL_SIZE = 4;
/** {@link addJobs} leaves half of a queue's connections to the other callers in this process. */
const MAX_CONCURRENT_ADDS = BACKEND_POOL_SIZE / 2;

export interface NewJob<Data> {
  data: Data;
  /** BullMQ ignores a job whose id exists. */
  jobId: string;
  /** Milliseconds until the job runs; 0 by default. */
  delay?: number;
}

/**
 * Adds jobs with the same name, a few at a time. After one failure, the other jobs are still added.
 * After a second failure, the queue is probably unreachable, so no more jobs are added.
 * BullMQ's `addBulk` would not work: on PostgreSQL it creates a sequence, which the application's
 * role may not do.
 * @throws one of the failures
 */
export async function addJobs<Data>(
  queue: Queue<Data>,
  name: string,
  jobs: readonly NewJob<Data>[],
): Promise<void> {
  // The loops share this iterator, so each job is added once.
  const remaining = jobs.values();
  const addRemaining = async () => {
    for (const { data, ...options } of remaining) await (queue as Queue).add(name, data, options);
  };
  const results = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_ADDS }, addRemaining));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
}

function postgresConnection(runtime: Runtime, max: number) {
  return {
    connectionString: runtime.databaseUrl,
    options: buildAppSessionOptions(runtime.databaseUrl, { keyed: false }),
    application_name: 'tow-queue',
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    max,
    schema: 'bullmq',
  };
}

/** The open queues of each process, by name. */
const openQueues = new WeakMap<Runtime['lifecycle'], Map<string, Queue>>();

/**
 * Opens a queue for adding jobs. Within a process, calls with the same name share one queue. Each
 * queue on PostgreSQL opens its own connections, and an embedded PostgreSQL allows only few. The
 * queue closes when the process ends.
 */
export function openQueue<Data>(runtime: Runtime, name: string, defaults: JobsOptions): Queue<Data> {
  const queues = openQueues.get(runtime.lifecycle) ?? new Map<string, Queue>();
  openQueues.set(runtime.lifecycle, queues);
  const queue = queues.get(name) ?? connectQueue(runtime, name, defaults);
  queues.set(name, queue);
  return queue as unknown as Queue<Data>;
}

/**
 * Connects a queue. Connection errors are only logged, but a failed `add` rejects. Every added job
 * needs an explicit id. Without one, BullMQ would create a sequence in PostgreSQL, which the
 * application's role may not do.
 */
function connectQueue(runtime: Runtime, name: string, defaults: JobsOptions): Queue {
  const { redis, logger, lifecycle } = runtime;
  const queue = redis
    ? new Queue(name, { connection: redis.fast, prefix: QUEUE_PREFIX, defaultJobOptions: defaults })
    : (new Queue(
        name,
        { connection: postgresConnection(runtime, BACKEND_POOL_SIZE), defaultJobOptions: defaults },
        createQueueBackend,
      ) as unknown as Queue);
  trackFailedAdds(queue);
  queue.on('error', (error) => logger.debug({ err: error, queue: name }, 'queue error'));
  lifecycle.onClose(`queue ${name}`, () => queue.close());
  return queue;
}

/** Opens and starts a worker. Closing the worker waits for its running jobs. */
export function openWorker<Data>(
  runtime: Runtime,
  name: string,
  processor: Processor<Data>,
  options: { concurrency: number },
): Worker<Data> {
  const { logger, lifecycle } = runtime;
  const connection = connectWorker(runtime);
  const settings: Omit<WorkerOptions, 'connection'> = {
    ...STALL_SETTINGS,
    concurrency: options.concurrency,
    removeOnComplete: { count: 0 },
  };
  const worker = connection
    ? new RedisWorker<Data>(name, processor, { ...settings, prefix: QUEUE_PREFIX, connection })
    : (new PostgresWorker(
        name,
        processor as Processor,
        {
          ...settings,
          runRetryDelay: REFUSED_PAUSE_MS,
          connection: postgresConnection(runtime, options.concurrency + 2),
        },
        createQueueBackend,
      ) as unknown as Worker<Data>);
  reportFailedJobs(runtime, worker);
  let lastLoggedAt = 0;
  worker.on('error', (error) => {
    // While a store is unreachable, BullMQ emits errors endlessly. One log entry every 5 s is
    // enough.
    if (Date.now() - lastLoggedAt < 5000) return;
    lastLoggedAt = Date.now();
    logger.warn({ err: error, queue: name }, 'worker error');
  });
  // Closers run in reverse order, so the worker closes while its connection is still open.
  lifecycle.onClose(`worker ${name}`, () => worker.close());
  return worker;
}
