import { once } from 'node:events';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { RecordRef } from '../../shared/records/record-refs.js';
import { renewExportLease } from '../../shared/resources/exports/run-store.js';

export const LEASE_MS = 15_000;
/**
 * Interval between renewals. A renewal also stores the progress, and reads whether the export was
 * cancelled.
 */
const RENEW_MS = 1000;
/** Interval between renewals while the worker waits for the command that records the result. */
const FINAL_RENEW_MS = 100;
const FINAL_TIMEOUT_MS = 60_000;

export interface ExportLease {
  /**
   * Aborted when the worker must stop: the export was cancelled or taken over, the lease was not
   * renewed in time, or this process shuts down.
   */
  readonly signal: AbortSignal;
  /** The rows and bytes that are written so far. The next renewal stores these numbers. */
  progress: { rows: number; bytes: number };
  /**
   * Keeps the lease until the command that records the result has run. Without the lease, another
   * worker would restart the export.
   */
  waitUntilRecorded(): Promise<void>;
  stopRenewing(): void;
}

/**
 * Renews a lease until {@link ExportLease.stopRenewing} is called or the lease is lost. While the
 * database is unreachable, repeats the renewal until the lease expires.
 */
export function holdLease(
  { db, logger }: Runtime,
  { ref, owner, signal }: { ref: RecordRef; owner: string; signal: AbortSignal },
): ExportLease {
  const lost = new AbortController();
  const lease = {
    signal: AbortSignal.any([signal, lost.signal]),
    progress: { rows: 0, bytes: 0 },
    waitUntilRecorded,
    stopRenewing,
  };
  const markLost = (reason: unknown) => lost.abort(reason);
  const expiredError = new Error('The lease expired before it could be renewed.');
  // Abort when the lease expires, even if a renewal still waits for the database. From then on,
  // another worker may lease the export.
  let expiryTimer = setTimeout(markLost, LEASE_MS, expiredError);
  let renewIntervalMs = RENEW_MS;
  let renewTimer = setTimeout(renew, renewIntervalMs);
  let hasEnded = false;

  function stopRenewing(): void {
    hasEnded = true;
    clearTimeout(renewTimer);
    clearTimeout(expiryTimer);
  }

  async function waitUntilRecorded(): Promise<void> {
    renewIntervalMs = FINAL_RENEW_MS;
    clearTimeout(renewTimer);
    renewTimer = setTimeout(renew, renewIntervalMs);
    if (lease.signal.aborted) return;
    await once(lease.signal, 'abort', { signal: AbortSignal.timeout(FINAL_TIMEOUT_MS) }).catch(() => {
      logger.warn(
        { exportId: ref.id },
        'the result of an export was not recorded in time; the export will restart',
      );
    });
  }

  async function renew(): Promise<void> {
    const sentAt = Date.now();
    try {
      const renewal = { owner, leaseMs: LEASE_MS, ...lease.progress };
      const isRenewed = await db.transaction([ref.tenant_id], (tx) => renewExportLease(tx, ref, renewal));
      if (!isRenewed) markLost(new Error('The export was cancelled or taken over by another worker.'));
      clearTimeout(expiryTimer);
      if (!hasEnded)
        expiryTimer = setTimeout(markLost, Math.max(0, sentAt + LEASE_MS - Date.now()), expiredError);
    } catch (error) {
      logger.warn({ err: error, exportId: ref.id }, 'the lease of an export could not be renewed');
    }
    if (!hasEnded && !lost.signal.aborted) renewTimer = setTimeout(renew, renewIntervalMs);
  }

  return lease;
}
