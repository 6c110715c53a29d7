import type { Runtime } from '../../shared/platform/runtime.js';
import { type WebhooksQueue, wakeLanes } from '../../shared/queues/webhooks.js';
import type { RecordRef } from '../../shared/resources/sets.js';
import { continueReplay, findRunningReplays } from '../../shared/resources/webhook-replays/run.js';
import { sweepSome, sweepTenants } from './sweep-tenants.js';

/** The clock has other work: a pass ends after this long, and the next one goes on with the next tenant. In ms. */
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
    let woken = 0;
    for (const ref of inTurn(running, last)) {
      if (performance.now() > endAt) break;
      last = ref.tenant_id;
      woken += await goOn(runtime, webhooks, ref);
    }
    return { running: running.length, woken };
  };
}

/** @returns how many endpoints have something new */
async function goOn(runtime: Runtime, webhooks: WebhooksQueue, ref: RecordRef): Promise<number> {
  const { tenant_id: tenantId } = ref;
  let endpoints: string[] = [];
  await sweepSome(runtime, {
    task: 'continue-replay',
    tenantIds: [tenantId],
    work: async (tx) => {
      endpoints = await continueReplay(tx, ref);
    },
  });
  await wakeLanes(
    webhooks,
    endpoints.map((endpointId) => ({ tenantId, endpointId })),
  );
  return endpoints.length;
}

/** One of each tenant, beginning with the tenant after this one, then the next of each. */
function inTurn(running: RecordRef[], lastTenant: string): RecordRef[] {
  const turns = new Map<string, number>();
  return running
    .map((ref) => {
      const turn = turns.get(ref.tenant_id) ?? 0;
      turns.set(ref.tenant_id, turn + 1);
      return { ref, order: `${turn} ${ref.tenant_id > lastTenant ? 0 : 1} ${ref.tenant_id}` };
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ ref }) => ref);
}

/** Those that may go on, by tenant. */
async function findAll(runtime: Runtime): Promise<RecordRef[]> {
  const found: RecordRef[] = [];
  await sweepTenants(runtime, 'run-replays', async (tx) => {
    found.push(...(await findRunningReplays(tx)));
  });
  return found;
}
