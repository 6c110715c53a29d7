import {
  createPostgresBackend,
  type JobsOptions,
  type Processor,
  Queue,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import { appSessionOptions } from '../platform/postgres-session.js';
import { connectRedis } from '../platform/redis.js';
import type { Runtime } from '../platform/runtime.js';
import { reportFailedJobs } from './failed-jobs.js';

/** All keys of a queue share one hash tag, so that Redis Cluster keeps them together. */
const PREFIX = '{tow}';

/**
 * After a kill -9 a job runs again when its lock has run out and a check has seen it: at most lock + 2 checks. Stalls must never fail a job (the default
 * does after one); what keeps killing its worker is caught by the attempts counted in PostgreSQL.
 */
const STALL_SETTINGS = { lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 1000 } as const;

/**
 * Of jobs that only say where to look: what fails in them is our own store, what somebody outside answers is no failure of the job. One that is kept after it
 * has failed would keep the clock from prompting for the same thing again.
 */
export const PROMPT_OPTIONS = {
  attempts: 20,
  backoff: { type: 'fixed', delay: 1000 },
  removeOnComplete: true,
  removeOnFail: true,
} as const;

/** Errors of adding a job. */
const failedAdds = new WeakSet<object>();

/** True when a queue did not take a job: the queue is away, and what the job says is not why. */
export function isQueueFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failedAdds.has(error);
}

/** Makes {@link isQueueFailure} know the errors of this queue. */
function markFailedAdds(queue: Pick<Queue, 'add'>): void {
  const add = queue.add.bind(queue);
  queue.add = (...job) =>
    add(...job).catch((error: unknown) => {
      if (typeof error === 'object' && error !== null) failedAdds.add(error);
      throw error;
    });
}

/** Sessions of one BullMQ object on PostgreSQL; batches make more needless. */
const BACKEND_POOL_SIZE = 4;

function postgresConnection(runtime: Runtime, max: number) {
  return {
    connectionString: runtime.databaseUrl,
    options: appSessionOptions(runtime.databaseUrl, { keyed: false }),
    application_name: 'tow-queue',
    connectionTimeoutMillis: 3000,
    keepAlive: true,
    max,
    schema: 'bullmq',
  };
}

/**
 * The producing side of a queue. Jobs must bring an id of their own: on PostgreSQL BullMQ would otherwise create a sequence per queue, which the
 * application's role may not. Errors of its connection are logged; a failed add rejects.
 */
export function openQueue<Data>(runtime: Runtime, name: string, defaults: JobsOptions): Queue<Data> {
  const { redis, logger, lifecycle } = runtime;
  const queue = redis
    ? new Queue<Data>(name, { connection: redis.fast, prefix: PREFIX, defaultJobOptions: defaults })
    : (new Queue(
        name,
        { connection: postgresConnection(runtime, BACKEND_POOL_SIZE), defaultJobOptions: defaults },
        createPostgresBackend,
      ) as unknown as Queue<Data>);
  markFailedAdds(queue);
  queue.on('error', (error) => logger.debug({ err: error, queue: name }, 'queue error'));
  lifecycle.onClose(`queue ${name}`, () => queue.close());
  return queue;
}

/** The consuming side. It starts at once, and closing it waits for the jobs in hand. */
export function openWorker<Data>(
  runtime: Runtime,
  name: string,
  processor: Processor<Data>,
  options: { concurrency: number },
): Worker<Data> {
  const { config, logger, lifecycle } = runtime;
  const settings: Omit<WorkerOptions, 'connection'> = {
    ...STALL_SETTINGS,
    concurrency: options.concurrency,
    removeOnComplete: { count: 0 },
  };
  const worker = config.redisUrl
    ? new Worker<Data>(name, processor, {
        ...settings,
        prefix: PREFIX,
        connection: workerConnection(runtime, config.redisUrl),
      })
    : (new Worker(
        name,
        processor as Processor,
        { ...settings, connection: postgresConnection(runtime, options.concurrency + 2) },
        createPostgresBackend,
      ) as unknown as Worker<Data>);
  reportFailedJobs(runtime, worker);
  let lastLoggedAt = 0;
  worker.on('error', (error) => {
    // A store that is away errors without end; one line each 5 s says as much.
    if (Date.now() - lastLoggedAt < 5000) return;
    lastLoggedAt = Date.now();
    logger.warn({ err: error, queue: name }, 'worker error');
  });
  // The worker first: it must give back its jobs while the queue's connection still lives.
  lifecycle.onClose(`worker ${name}`, () => worker.close());
  return worker;
}

function workerConnection(runtime: Runtime, url: string) {
  const connection = connectRedis(url, 'patient', runtime.logger);
  runtime.lifecycle.onClose('worker redis', () => connection.disconnect());
  return connection;
}
