import { isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import type { Database } from '../../platform/postgres.js';
import { type AuditRecord, insertAuditEntries } from './insert.js';

/** Entries of one transaction. */
const MAX_BATCH = 500;

/** Entries that may wait for one another: while the store hangs, memory must not fill with what nobody writes down. */
export const MAX_WAITING = 10_000;

interface Waiting {
  record: AuditRecord;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Writes down what changes nothing: reads, and what was refused. A command's entry is its worker's. Entries that come while a transaction is under way share the
 * next one, without a timer.
 */
export class AuditRecorder {
  #waiting: Waiting[] = [];
  #isStoring = false;

  constructor(private readonly db: Database) {}

  /** Resolves once the entry is committed. @throws {AppError} 503 when it cannot be: what is not written down is not answered */
  record(record: AuditRecord): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(
        serviceUnavailable('Too much waits to be written to the audit log. Try again shortly.'),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ record, resolve, reject });
      if (this.#isStoring) return;
      this.#isStoring = true;
      setImmediate(() => void this.#store());
    });
  }

  async #store(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_BATCH);
      await this.#storeBatch(batch);
    }
    this.#isStoring = false;
  }

  /** An entry that the database refuses must not take those of others down with it: the batch is halved until it stands alone. */
  async #storeBatch(batch: Waiting[]): Promise<void> {
    try {
      await this.#insert(batch.map(({ record }) => record));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && !isTransientDatabaseError(error)) {
        const middle = Math.ceil(batch.length / 2);
        await this.#storeBatch(batch.slice(0, middle));
        return this.#storeBatch(batch.slice(middle));
      }
      const refusal = serviceUnavailable(
        'The audit log cannot be written right now. Try again shortly.',
        error,
      );
      for (const { reject } of batch) reject(refusal);
    }
  }

  async #insert(records: AuditRecord[]): Promise<void> {
    const tenants = [...new Set(records.map(({ tenantId }) => tenantId))];
    await this.db.transaction(tenants, async (tx) => tx.queryAtCommit(insertAuditEntries(records)));
  }
}
