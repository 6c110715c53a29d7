import type { Principal } from '../contracts/principal.js';
import type { Runtime } from '../platform/process/runtime.js';
import { enqueueKeyUses, type KeyUse, openClockQueue } from './clock.js';

/** A key's last use is shown to the minute. */
const INTERVAL_MS = 60_000;
/** The first use waits this long for the uses of other keys. */
const BATCH_MS = 1_000;

export type RecordKeyUse = (key: Principal) => void;

/** Each key is recorded at most once a minute. */
export function batchKeyUses(runtime: Runtime): RecordKeyUse {
  const queue = openClockQueue(runtime);
  return collectKeyUses(runtime, (uses) => {
    enqueueKeyUses(queue, uses).catch((error: unknown) =>
      runtime.logger.warn({ err: error, keys: uses.length }, 'last use of keys not recorded'),
    );
  });
}

/**
 * Sends a batch of uses one second after its first use.
 * @param runtime closes the timer
 */
export function collectKeyUses(
  { lifecycle }: Pick<Runtime, 'lifecycle'>,
  send: (uses: KeyUse[]) => void,
): RecordKeyUse {
  /** Keys and sessions whose use was sent in this interval. */
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
