import { setTimeout as sleep } from 'node:timers/promises';
import {
  createPostgresBackend,
  type Job,
  type JobProgress,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Worker,
} from 'bullmq';

const FAILED_PAUSE_MS = 500;

/**
 * A worker that pauses after PostgreSQL did not give it a job. BullMQ itself pauses only if
 * PostgreSQL refuses the connection, for `runRetryDelay`. Behind a proxy that accepts connections
 * and closes them, as HAProxy does without a primary, it would ask again at once.
 */
export class PostgresWorker extends Worker<
  unknown,
  unknown,
  string,
  PostgresQueueBackend,
  JobProgress,
  PostgresConnectionOptions
> {
  protected override async moveToActive(token: string, name?: string): Promise<Job> {
    return super.moveToActive(token, name).catch(async (error: unknown) => {
      await sleep(FAILED_PAUSE_MS);
      throw error;
    });
  }
}

/** What BullMQ keeps of the first connection of a queue or worker. */
interface Start {
  waitUntilReady: () => Promise<void>;
  readyPromise: Promise<void> | undefined;
}

/**
 * Connects a queue or worker to PostgreSQL. If its first connection fails, the next call connects
 * again. BullMQ would keep the failure, and fail every later call with it until the process ends.
 */
export const createQueueBackend: typeof createPostgresBackend = (...options) => {
  const backend = createPostgresBackend(...options);
  const start = backend as unknown as Start & { connection: Start };
  forgetFailedStart(start.connection);
  forgetFailedStart(start);
  return backend;
};

function forgetFailedStart(start: Start): void {
  const waitUntilReady = start.waitUntilReady.bind(start);
  start.waitUntilReady = () => {
    const ready = waitUntilReady();
    const attempt = start.readyPromise;
    return ready.catch((error: unknown) => {
      // Another caller may have begun the next attempt.
      if (start.readyPromise === attempt) start.readyPromise = undefined;
      throw error;
    });
  };
}
