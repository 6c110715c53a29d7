import { isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import type { Database } from '../../platform/postgres/database.js';
import { type AuditRecord, buildAuditInsert } from './insert.js';

/** Maximum number of entries per transaction. */
const MAX_BATCH = 500;

/**
 * Maximum number of entries that wait to be stored, so that they cannot fill the memory while
 * PostgreSQL hangs.
 */
export const MAX_WAITING_ENTRIES = 10_000;

interface WaitingEntry {
  record: AuditRecord;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Records audit entries for reads and refused requests. The writes worker records the entries of
 * commands. Entries that arrive during a transaction are batched into the next one, without a
 * timer.
 */
export class AuditRecorder {
  #waiting: WaitingEntry[] = [];
  #isStoring = false;

  constructor(private readonly db: Database) {}

  /**
   * Resolves once the entry is committed.
   * @throws {AppError} 503 if the entry cannot be stored: a request without its audit entry gets no
   * result
   */
  record(record: AuditRecord): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING_ENTRIES)
      return Promise.reject(serviceUnavailable('The audit log is overloaded. Try again shortly.'));
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

  /**
   * If PostgreSQL rejects an entry, the batch is halved until that entry is alone, so that all
   * others are stored.
   */
  async #storeBatch(batch: WaitingEntry[]): Promise<void> {
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
    await this.db.transaction(tenants, async (tx) => tx.queryAtCommit(buildAuditInsert(records)));
  }
}
