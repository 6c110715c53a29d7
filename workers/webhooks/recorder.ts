import { isTransientDatabaseError } from '../../shared/platform/errors.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres.js';
import { laneKey } from '../../shared/queues/webhooks.js';
import { type AttemptRecord, type LaneRecord, storeAttempts } from './record-store.js';

/** Attempts of one transaction. */
const MAX_BATCH = 500;
const STORE_RETRY_MS = 500;

/** What is to be stored, and who waits for it. */
export interface Recording {
  record: AttemptRecord;
  /** The state of its lane, when that has changed. */
  lane: LaneRecord | undefined;
  onStored: () => void;
}

/**
 * Stores what came of attempts, gathered: while one transaction is under way the next set collects, without a timer. Nothing is given up while the
 * process lives; a store that is away is asked until it is back.
 */
export class Recorder {
  private waiting: Recording[] = [];
  private storing: Promise<void> | undefined;
  private isGivingUp = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
  ) {}

  /** How many results wait for their store. */
  get backlog(): number {
    return this.waiting.length;
  }

  add(recording: Recording): void {
    this.waiting.push(recording);
    this.storing ??= this.storeAll();
  }

  /** Waits until all is stored. What cannot be stored until the deadline is sent once more by whoever comes next. */
  async close(deadlineMs: number): Promise<void> {
    const timer = setTimeout(() => {
      this.isGivingUp = true;
    }, deadlineMs);
    while (this.storing) await this.storing;
    clearTimeout(timer);
  }

  private async storeAll(): Promise<void> {
    // Results of requests that end in the same turn belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0 && !this.isGivingUp) {
      const batch = this.waiting.splice(0, MAX_BATCH);
      try {
        await this.store(batch);
      } catch (error) {
        this.waiting.unshift(...batch);
        this.logger.warn(
          { err: error, attempts: this.waiting.length },
          'attempts not stored yet; trying again',
        );
        await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      }
    }
    // In the same turn as the last look at what waits: what is added from here on begins anew.
    this.storing = undefined;
  }

  /** One by one when a set is refused for what is in it: a single one must not keep the others from being stored. */
  private async store(batch: Recording[]): Promise<void> {
    try {
      await storeAttempts(
        this.db,
        batch.map(({ record }) => record),
        lastOfEachLane(batch),
      );
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      if (batch.length === 1) return this.storeBare(batch[0] as Recording, error);
      for (const one of batch) await this.store([one]);
      return;
    }
    for (const { onStored } of batch) onStored();
  }

  /** What a receiver sent back may be something that our store refuses. The outcome counts more than what was said. */
  private async storeBare({ record, lane, onStored }: Recording, cause: unknown): Promise<void> {
    this.logger.error({ err: cause, deliveryId: record.deliveryId }, 'an attempt cannot be stored as it is');
    const attempt = record.attempt && {
      ...record.attempt,
      responseHeaders: null,
      responseBody: null,
      isTruncated: true,
    };
    try {
      await storeAttempts(this.db, [{ ...record, attempt }], lane ? [lane] : []);
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error;
      // Its lane goes on counting it as not stored, so that this process does not send it again and again.
      this.logger.error({ err: error, deliveryId: record.deliveryId }, 'an attempt cannot be stored at all');
      return;
    }
    onStored();
  }
}

function lastOfEachLane(batch: Recording[]): LaneRecord[] {
  const lanes = new Map<string, LaneRecord>();
  for (const { lane } of batch) if (lane) lanes.set(laneKey(lane), lane);
  return [...lanes.values()];
}
