import { once } from 'node:events';
import type { Runtime } from '../../shared/platform/runtime.js';
import { renewExport } from '../../shared/resources/exports/run-store.js';
import type { RecordRef } from '../../shared/resources/sets.js';

/** After so long without a renewal an export is in nobody's hands. */
export const LEASE_MS = 15_000;
/** Also how soon a cancelled export is noticed, and how often its progress is told. */
const RENEW_MS = 1000;
/** After the command that settles an export has been sent. */
const SETTLE_LOOK_MS = 100;
const SETTLE_MS = 60_000;

/** The hold on an export that runs. */
export interface Lease {
  /** Aborted when it is ours no longer: cancelled, taken by another, not renewed in time, or this process ends. */
  readonly signal: AbortSignal;
  /** Told with the next renewal. */
  progress: { rows: number; bytes: number };
  /** Keeps it while the command that settles the export waits for its worker: for somebody else to begin anew meanwhile would be a waste. */
  untilSettled(): Promise<void>;
  end(): void;
}

/** Renews the lease of a claimed export until it is ended. A store that is away is asked again until the lease has run out. */
export function holdLease(
  { db, logger }: Runtime,
  { ref, owner, signal }: { ref: RecordRef; owner: string; signal: AbortSignal },
): Lease {
  const lost = new AbortController();
  const lease = {
    signal: AbortSignal.any([signal, lost.signal]),
    progress: { rows: 0, bytes: 0 },
    untilSettled,
    end,
  };
  const lose = (reason: unknown) => lost.abort(reason);
  const late = new Error('The lease ran out before it could be renewed.');
  // Also when the store neither answers nor fails: by then another worker may have it.
  let runsOut = setTimeout(lose, LEASE_MS, late);
  let pause = RENEW_MS;
  let timer = setTimeout(renew, pause);
  let isOver = false;

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    clearTimeout(runsOut);
  }

  async function untilSettled(): Promise<void> {
    pause = SETTLE_LOOK_MS;
    clearTimeout(timer);
    timer = setTimeout(renew, pause);
    if (lease.signal.aborted) return;
    await once(lease.signal, 'abort', { signal: AbortSignal.timeout(SETTLE_MS) }).catch(() => {
      logger.warn(
        { exportId: ref.id },
        'what became of an export was not recorded in time; it is begun anew',
      );
    });
  }

  async function renew(): Promise<void> {
    const sentAt = Date.now();
    try {
      const renewal = { owner, leaseMs: LEASE_MS, ...lease.progress };
      const isOurs = await db.transaction([ref.tenant_id], (tx) => renewExport(tx, ref, renewal));
      if (!isOurs) lose(new Error('The export was cancelled or given to another worker.'));
      clearTimeout(runsOut);
      if (!isOver) runsOut = setTimeout(lose, Math.max(0, sentAt + LEASE_MS - Date.now()), late);
    } catch (error) {
      logger.warn({ err: error, exportId: ref.id }, 'the lease of an export could not be renewed');
    }
    if (!isOver && !lost.signal.aborted) timer = setTimeout(renew, pause);
  }

  return lease;
}
