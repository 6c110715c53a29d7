import type { Principal } from '../contracts/principal.js';
import type { Runtime } from '../platform/process/runtime.js';
import { enqueueKeyUses, type KeyUse, openClockQueue } from './clock.js';

const KEY_USE_INTERVAL_MS = 60_000;

/** Records that a key or session was used. */
export type RecordKeyUse = (key: Principal) => void;

/**
 * Batches uses of keys for the clock. A batch is sent at the latest one second after its first use.
 */
export function batchKeyUses(runtime: Runtime): RecordKeyUse {
  const queue = openClockQueue(runtime);
  let uses = new Map<string, KeyUse>();
  const flush = () => {
    if (uses.size === 0) return;
    const batch = [...uses.values()];
    uses = new Map();
    enqueueKeyUses(queue, batch).catch((error: unknown) =>
      runtime.logger.warn({ err: error, keys: batch.length }, 'last use of keys not recorded'),
    );
  };
  const timer = setInterval(flush, KEY_USE_INTERVAL_MS);
  runtime.lifecycle.onClose('key uses', () => clearInterval(timer));
  return ({ id: keyId, tenantId, session }) => {
    const id = session?.id ?? keyId;
    if (uses.has(id)) return;
    const at = new Date().toISOString();
    uses.set(
      id,
      session ? { tenant_id: session.tenantId, id, at, session: true } : { tenant_id: tenantId, id, at },
    );
    if (uses.size === 1) setTimeout(flush, 1000).unref();
  };
}
