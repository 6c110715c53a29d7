import type { Runtime } from '../../shared/platform/runtime.js';
import { type WebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import type { RecordRef } from '../../shared/resources/sets.js';
import { continueReplay, findRunningReplays } from '../../shared/resources/webhook-replays/run.js';

/** Tenants asked in one transaction. */
const TENANTS_PER_PASS = 500;
const REPLAYS_PER_CHUNK = 1000;
/** The clock has other work: a pass ends after this long, and the next one goes on with the next replay. In ms. */
const PASS_MS = 2_000;

/**
 * Makes the deliveries of replays and recoveries, each call some of each. They come in small portions and behind the live ones, so that a storm of them delays
 * nobody; rows and positions are committed together, and a lane that nobody woke is found by the sweep.
 */
export function createReplayRunner(
  runtime: Runtime,
  webhooks: WebhooksQueue,
): () => Promise<Record<string, unknown>> {
  // Where a pass ended: were each to begin with the first one, the last would never have its turn.
  let last = '';
  return async () => {
    const endAt = performance.now() + PASS_MS;
    const running = await findAll(runtime);
    const next = running.findIndex(({ id }) => id > last);
    const inTurn = [...running.slice(next), ...running.slice(0, Math.max(next, 0))];
    let woken = 0;
    for (const ref of next < 0 ? running : inTurn) {
      if (performance.now() > endAt) break;
      last = ref.id;
      const endpoints = await runtime.db.transaction([ref.tenant_id], (tx) => continueReplay(tx, ref));
      woken += endpoints.length;
      await wakeLanes(
        webhooks,
        endpoints.map((endpointId) => ({ tenantId: ref.tenant_id, endpointId })),
      );
    }
    return { running: running.length, woken };
  };
}

/** All running replays, by their ids. */
async function findAll(runtime: Runtime): Promise<RecordRef[]> {
  const tenants = await runtime.db.tenantIds();
  const found: RecordRef[] = [];
  for (let start = 0; start < tenants.length; start += TENANTS_PER_PASS) {
    const chunk = tenants.slice(start, start + TENANTS_PER_PASS);
    found.push(...(await runtime.db.transaction(chunk, (tx) => findRunningReplays(tx, REPLAYS_PER_CHUNK))));
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
}
