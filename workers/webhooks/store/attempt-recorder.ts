import { type AttemptRecord, storeAttempts } from '../../../shared/deliveries/store-attempts.js';
import type { EndpointQueueState } from '../../../shared/deliveries/store-queue-health.js';
import { isTransientDatabaseError } from '../../../shared/platform/errors.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { Batcher, runInHalves } from '../../../shared/queues/batching/batcher.js';
import { endpointQueueKey } from '../../../shared/queues/webhooks.js';

const STORE_RETRY_MS = 500;

export interface AttemptToStore {
  /** Undefined if only the state of the endpoint queue must be stored. */
  record: AttemptRecord | undefined;
  /** The state of the endpoint queue, if it changed. */
  queueState: EndpointQueueState | undefined;
  onStored: () => void;
}

/** Stores the results of attempts in batches. Repeats a batch while PostgreSQL is unreachable. */
export class AttemptRecorder {
  private readonly attempts = new Batcher<AttemptToStore>((batch) => this.store(batch));
  private isGivingUp = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  get backlog(): number {
    return this.attempts.waiting;
  }

  add(recording: AttemptToStore): void {
    this.attempts.add(recording);
  }

  /**
   * Waits until all results are stored, or until the deadline. If a result is not stored, the next
   * worker repeats the delivery.
   * @param deadlineMs ms from now
   */
  async close(deadlineMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.isGivingUp = true;
    }, deadlineMs);
    while (this.attempts.running) await this.attempts.running;
    clearTimeout(timer);
  }

  /** Stores a batch. While PostgreSQL is unreachable, tries again until {@link close} gives up. */
  private async store(batch: AttemptToStore[]): Promise<void> {
    const unstored = new Set(batch);
    const store = async (attempts: AttemptToStore[]) => {
      const records = attempts.flatMap(({ record }) => record ?? []);
      await storeAttempts(this.db, records, lastStatePerEndpoint(attempts));
      for (const attempt of attempts) {
        unstored.delete(attempt);
        attempt.onStored();
      }
    };
    const storeAlone = async (attempt: AttemptToStore, error: unknown) => {
      await this.storeWithoutResponse(attempt, error);
      unstored.delete(attempt);
    };
    const options = { isTransient: isTransientDatabaseError, onFailure: storeAlone };
    while (unstored.size > 0 && !this.isGivingUp) {
      try {
        await runInHalves([...unstored], store, options);
      } catch (error) {
        const count = unstored.size + this.backlog;
        this.logger.warn({ err: error, attempts: count }, 'cannot store attempts; retrying');
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
  }

  /**
   * Stores the outcome of an attempt without the response, because PostgreSQL may have rejected the
   * response.
   */
  private async storeWithoutResponse(
    { record, queueState: state, onStored }: AttemptToStore,
    cause: unknown,
  ): Promise<void> {
    this.logger.error(
      { err: cause, deliveryId: record?.deliveryId },
      'cannot store an attempt with its response',
    );
    const attempt = record?.attempt && {
      ...record.attempt,
      responseHeaders: null,
      responseBody: null,
      isTruncated: true,
    };
    try {
      await storeAttempts(this.db, record ? [{ ...record, attempt }] : [], state ? [state] : []);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      // Do not call `onStored`. The delivery's id then stays in `unstoredIds`, so that this process
      // does not send the delivery again.
      this.logger.error({ err: error, deliveryId: record?.deliveryId }, 'cannot store an attempt');
      return;
    }
    onStored();
  }
}

function lastStatePerEndpoint(batch: AttemptToStore[]): EndpointQueueState[] {
  const states = new Map<string, EndpointQueueState>();
  for (const { queueState: state } of batch) if (state) states.set(endpointQueueKey(state), state);
  return [...states.values()];
}
