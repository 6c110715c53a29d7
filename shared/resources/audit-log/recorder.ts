import { isTransientDatabaseError, serviceUnavailable } from '../../platform/errors.js';
import { AccountFrozenError } from '../../platform/frozen/frozen-accounts.js';
import type { Database } from '../../platform/postgres/database.js';
import { Batcher, runInHalves } from '../../queues/batching/batcher.js';
import { type AuditRecord, buildAuditInsert } from './insert.js';

/**
 * The maximum number of entries that wait to be stored. Further entries are refused, so that they
 * do not fill the memory while PostgreSQL hangs.
 */
export const MAX_WAITING_ENTRIES = 10_000;

interface WaitingEntry {
  record: AuditRecord;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Records the audit entries of reads and refused requests. The writes worker records the audit
 * entries of commands.
 */
export class AuditRecorder {
  readonly #entries = new Batcher<WaitingEntry>((batch) => this.#store(batch));

  constructor(private readonly db: Database) {}

  /**
   * Stores an entry. Resolves once the entry is committed.
   * @throws {AppError} 503 if the entry cannot be stored. The caller must then return no result,
   * because every result needs an audit entry
   */
  record(record: AuditRecord): Promise<void> {
    if (this.#entries.waiting >= MAX_WAITING_ENTRIES)
      return Promise.reject(serviceUnavailable('The audit log is overloaded. Try again shortly.'));
    return new Promise((resolve, reject) => this.#entries.add({ record, resolve, reject }));
  }

  async #store(batch: WaitingEntry[]): Promise<void> {
    const refuse = ({ reject }: WaitingEntry, error: unknown) =>
      reject(serviceUnavailable('The audit log cannot be written right now. Try again shortly.', error));
    const insert = (entries: WaitingEntry[]) => this.#insertWritable(entries);
    try {
      await runInHalves(batch, insert, { isTransient: isTransientDatabaseError, onFailure: refuse });
    } catch (error) {
      // Rejecting a stored entry has no effect, because its promise has already resolved.
      for (const entry of batch) refuse(entry, error);
    }
  }

  /** Refuses the entries of frozen accounts, and stores the others without them. */
  async #insertWritable(entries: WaitingEntry[]): Promise<void> {
    try {
      await this.#insert(entries.map(({ record }) => record));
      for (const { resolve } of entries) resolve();
    } catch (error) {
      if (!(error instanceof AccountFrozenError)) throw error;
      const isFrozen = ({ record }: WaitingEntry) => error.tenantIds.includes(record.tenantId);
      const others = entries.filter((entry) => !isFrozen(entry));
      // If the error names no account of the entries, another run would fail again.
      if (others.length === entries.length) throw error;
      for (const entry of entries.filter(isFrozen)) entry.reject(error);
      if (others.length > 0) await this.#insertWritable(others);
    }
  }

  async #insert(records: AuditRecord[]): Promise<void> {
    const tenants = [...new Set(records.map(({ tenantId }) => tenantId))];
    await this.db.transaction(tenants, async (tx) => tx.queryAtCommit(buildAuditInsert(records)));
  }
}
