import { EventEmitter, once } from 'node:events';
import { createCanaryCommand } from '../shared/contracts/canary.js';
import { newId } from '../shared/platform/ids.js';
import { type Check, CheckFailure, checkReadiness, createStoreChecks } from '../shared/server/health.js';
import type { ApiRuntime } from './runtime/runtime.js';

const INTERVAL_MS = 10_000;
/**
 * After this many failed test writes in a row, the process checks itself. The process exits if its
 * stores respond but its own broadcasts do not arrive.
 */
const MAX_MISSES = 3;
const SELF_TEST_TIMEOUT_MS = 3000;

/**
 * Submits a test write every ten seconds, because open connections do not prove that writes are
 * committed. The test write changes nothing, but passes through queue, worker, PostgreSQL and reply
 * like any other command. A metric shows how long the test write took.
 *
 * If three test writes in a row fail although the stores are healthy, either this process or every
 * worker hangs. The process then sends itself a broadcast, and exits if the broadcast does not
 * arrive. If the broadcast arrives, the workers hang, and a restart of this process would not help.
 * @returns a check for /readyz that fails if the latest test write was not committed
 */
export async function startCanary(api: ApiRuntime): Promise<Check> {
  const receivesOwnBroadcasts = await createBroadcastSelfTest(api);
  let misses = 0;
  const check = async () => {
    const startedAt = performance.now();
    const outcome = await api.submit(createCanaryCommand(), 0).catch(() => undefined);
    if (outcome && 'ok' in outcome) {
      misses = 0;
      api.metrics.canarySeconds.set((performance.now() - startedAt) / 1000);
      return;
    }
    misses += 1;
    api.metrics.canarySeconds.set(-1);
    api.logger.warn({ misses }, 'the canary command got no result: writes are not being committed');
    if (misses >= MAX_MISSES && (await areStoresHealthy(api)) && !(await receivesOwnBroadcasts())) {
      api.logger.fatal(
        'this process no longer receives replies although its stores respond; exiting to be restarted',
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

async function areStoresHealthy(api: ApiRuntime): Promise<boolean> {
  return (await checkReadiness(createStoreChecks(api))).ok;
}

async function createBroadcastSelfTest(api: ApiRuntime): Promise<() => Promise<boolean>> {
  const channel = `tow:self:${newId()}`;
  const broadcasts = new EventEmitter();
  await api.bus.subscribe(channel, () => broadcasts.emit('received'));
  return async () => {
    const received = once(broadcasts, 'received', { signal: AbortSignal.timeout(SELF_TEST_TIMEOUT_MS) });
    await api.bus.publish(channel, '').catch(() => undefined);
    return received.then(
      () => true,
      () => false,
    );
  };
}
