import { EventEmitter, once } from 'node:events';
import { canaryCommand } from '../shared/contracts/canary.js';
import { type Check, CheckFailure, checkReadiness, storeChecks } from '../shared/platform/health.js';
import { newId } from '../shared/platform/ids.js';
import type { ApiRuntime } from './runtime.js';

const INTERVAL_MS = 10_000;
/** After so many trips that did not come back, while the stores answer and this process's own messages do not reach it, it exits. */
const MAX_MISSES = 3;
const SELF_TEST_MS = 3000;

/**
 * "Connected" proves nothing; progress does. Every ten seconds a command that changes nothing
 * travels through queue, worker, PostgreSQL and reply. Its time is a metric. Three misses in a row
 * with healthy stores mean that this process or every worker is wedged; this process can only cure
 * itself, and does when even a message from itself to itself is not heard. Resolves with the check
 * of /readyz that tells of it.
 */
export async function startCanary(api: ApiRuntime): Promise<Check> {
  const hearsItself = await listenToItself(api);
  let misses = 0;
  const check = async () => {
    const startedAt = performance.now();
    const outcome = await api.submit(canaryCommand(), 0).catch(() => undefined);
    if (outcome && 'ok' in outcome) {
      misses = 0;
      api.metrics.canarySeconds.set((performance.now() - startedAt) / 1000);
      return;
    }
    misses += 1;
    api.metrics.canarySeconds.set(-1);
    api.logger.warn({ misses }, 'the canary did not come back: writes are not being committed');
    if (misses >= MAX_MISSES && (await storesAnswer(api)) && !(await hearsItself())) {
      api.logger.fatal(
        'this process no longer hears replies although its stores answer; exiting to be restarted',
      );
      await api.lifecycle.close(5000);
      process.exit(1);
    }
  };
  const timer = setInterval(() => void check(), INTERVAL_MS);
  api.lifecycle.onClose('canary', () => clearInterval(timer));
  return {
    name: 'writes',
    isForWrites: true,
    run: async () => {
      if (misses > 0) throw new CheckFailure('the last test write was not committed; see the writes workers');
    },
  };
}

async function storesAnswer(api: ApiRuntime): Promise<boolean> {
  return (await checkReadiness(storeChecks(api))).ok;
}

async function listenToItself(api: ApiRuntime): Promise<() => Promise<boolean>> {
  const channel = `tow:self:${newId()}`;
  const heard = new EventEmitter();
  await api.bus.subscribe(channel, () => heard.emit('heard'));
  return async () => {
    const hearing = once(heard, 'heard', { signal: AbortSignal.timeout(SELF_TEST_MS) });
    await api.bus.publish(channel, '').catch(() => undefined);
    return hearing.then(
      () => true,
      () => false,
    );
  };
}
