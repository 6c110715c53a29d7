import type { Vendors } from '../../shared/integrations/contract/vendor.js';
import { createOutboundClient } from '../../shared/outbound/client.js';
import { addCollectedGauge } from '../../shared/platform/metrics.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import {
  INTEGRATIONS_QUEUE,
  type IntegrationJob,
  listWokenQueues,
  openIntegrationsQueue,
  registerLocalWorker,
} from '../../shared/queues/integrations.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { IntegrationsDispatcher } from './dispatcher.js';

/**
 * Maximum number of concurrent jobs. Few are enough, because a job only wakes the queues of
 * connections.
 */
const CONCURRENCY = 4;

export async function startIntegrationsWorker(runtime: Runtime, vendors: Vendors): Promise<void> {
  const { config, lifecycle, metrics } = runtime;
  addQueueGauges(runtime, openIntegrationsQueue(runtime));
  const client = createOutboundClient({ allowLoopback: config.allowLoopback, allowHttp: !config.production });
  lifecycle.onClose('vendor client', () => client.close());
  const writes = openWritesQueue(runtime);
  const dispatcher = new IntegrationsDispatcher({ runtime, vendors, client, writes });
  await dispatcher.start();
  registerLocalWorker(runtime, (refs) => dispatcher.wakeLeased(refs));
  lifecycle.onClose('integrations dispatcher', () => dispatcher.close());
  addCollectedGauge(metrics, {
    name: 'tow_integration_steps',
    help: 'Steps of connections that run; slow: for longer than a second',
    labelNames: ['pool'],
    collect: (set) => {
      for (const [pool, count] of Object.entries(dispatcher.countRunning())) set({ pool }, count);
    },
  });
  openWorker<IntegrationJob>(
    runtime,
    INTEGRATIONS_QUEUE,
    async ({ data }) => dispatcher.wake(listWokenQueues(data)),
    {
      concurrency: CONCURRENCY,
    },
  );
}
