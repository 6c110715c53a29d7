import { type AttemptRecord, storeAttempts } from '../../../shared/deliveries/store-attempts.js';
import type { EndpointQueueState } from '../../../shared/deliveries/store-queue-health.js';
import { isTransientDatabaseError } from '../../../shared/platform/errors.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { endpointQueueKey } from '../../../shared/queues/webhooks.js';

/** Maximum attempts of one transaction. */
const MAX_BATCH = 500;
const STORE_RETRY_MS = 500;

/** An attempt to store, and the callback that follows. */
export interface AttemptToStore {
  /** Undefined: only the state of the endpoint queue changed. */
  record: AttemptRecord | undefined;
  /** The state of its endpoint queue, if it changed. */
  queueState: EndpointQueueState | undefined;
  onStored: () => void;
}

/**
 * Stores the results of attempts in batches. While one transaction runs, the next batch collects,
 * without a timer. While the process lives it drops no result: if PostgreSQL is unreachable, it
 * retries until PostgreSQL is back.
 */
export class AttemptRecorder {
  private waiting: AttemptToStore[] = [];
  private storing: Promise<void> | undefined;
  private isGivingUp = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  /** Number of results that wait to be stored. */
  get backlog(): number {
    return this.waiting.length;
  }

  add(recording: AttemptToStore): void {
    this.waiting.push(recording);
    this.storing ??= this.storeAll();
  }

  /**
   * Waits until all results are stored. The next worker sends a delivery again if its result is not
   * stored by the deadline.
   */
  async close(deadlineMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.isGivingUp = true;
    }, deadlineMs);
    while (this.storing) await this.storing;
    clearTimeout(timer);
  }

  private async storeAll(): Promise<void> {
    // Requests that end in the same event-loop tick share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0 && !this.isGivingUp) {
      const batch = this.waiting.splice(0, MAX_BATCH);
      try {
        await this.storeBatch(batch);
      } catch (error) {
        this.waiting.unshift(...batch);
        this.logger.warn({ err: error, attempts: this.waiting.length }, 'cannot store attempts; retrying');
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
    // This runs in the same event-loop tick as the last check of `waiting`, so a result that is
    // added later starts a new loop.
    this.storing = undefined;
  }

  /**
   * Stores a batch. If PostgreSQL rejects its content, stores the attempts one by one, so that one
   * bad attempt does not block the others.
   */
  private async storeBatch(batch: AttemptToStore[]): Promise<void> {
    try {
      await storeAttempts(
        this.db,
        batch.flatMap(({ record }) => record ?? []),
        lastStatePerEndpoint(batch),
      );
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      if (batch.length === 1) return this.storeWithoutResponse(batch[0] as AttemptToStore, error);
      for (const attempt of batch) await this.storeBatch([attempt]);
      return;
    }
    for (const { onStored } of batch) onStored();
  }

  /**
   * PostgreSQL may reject what a receiver sent back. Store the attempt without the response then:
   * the outcome matters more.
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
      // The endpoint queue keeps treating it as not stored, so that this process does not send it
      // repeatedly.
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
