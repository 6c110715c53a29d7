import type { Principal } from '../contracts/principal.js';
import type { Runtime } from '../platform/process/runtime.js';
import { enqueueKeyUses, type KeyUse, openClockQueue } from './clock.js';

/** Within this interval, the use of a key is recorded only once. */
const INTERVAL_MS = 60_000;
/** The time that the first use in a batch waits for uses of other keys. */
const BATCH_MS = 1_000;

export type RecordKeyUse = (key: Principal) => void;

/**
 * Returns a function that records the use of a key, at most once a minute per key. Batches of uses
 * are sent to the clock as jobs.
 */
export function batchKeyUses(runtime: Runtime): RecordKeyUse {
  const queue = openClockQueue(runtime);
  return collectKeyUses(runtime, (uses) => {
    enqueueKeyUses(queue, uses).catch((error: unknown) =>
      runtime.logger.warn({ err: error, keys: uses.length }, 'last use of keys not recorded'),
    );
  });
}

/**
 * Returns a function that collects the uses of keys. Calls `send` with a batch one second after the
 * first use in the batch.
 */
export function collectKeyUses(
  { lifecycle }: Pick<Runtime, 'lifecycle'>,
  send: (uses: KeyUse[]) => void,
): RecordKeyUse {
  /** Ids of the keys and sessions that were recorded in this interval. */
  const recorded = new Set<string>();
  let waiting: KeyUse[] = [];
  const timer = setInterval(() => recorded.clear(), INTERVAL_MS);
  lifecycle.onClose('key uses', () => clearInterval(timer));
  const flush = () => {
    send(waiting);
    waiting = [];
  };
  return ({ id: keyId, tenantId, session }) => {
    const id = session?.id ?? keyId;
    if (recorded.has(id)) return;
    recorded.add(id);
    const at = new Date().toISOString();
    waiting.push(
      session ? { tenant_id: session.tenantId, id, at, session: true } : { tenant_id: tenantId, id, at },
    );
    if (waiting.length === 1) setTimeout(flush, BATCH_MS).unref();
  };
}
