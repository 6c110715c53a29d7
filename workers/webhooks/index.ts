import { createOutboundClient } from '../../shared/outbound/client.js';
import { addCollectedGauge } from '../../shared/platform/metrics.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { openWorker } from '../../shared/queues/backend.js';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import { openWebhooksQueue, WEBHOOKS_QUEUE, type WebhookJob } from '../../shared/queues/webhooks.js';
import { Dispatcher } from './dispatcher.js';

/**
 * Maximum number of concurrent jobs. Few are enough, because a job only names endpoint queues that
 * may have work.
 */
const CONCURRENCY = 4;

export async function startWebhooksWorker(runtime: Runtime): Promise<void> {
  const { config, lifecycle, metrics } = runtime;
  const queue = openWebhooksQueue(runtime);
  addQueueGauges(runtime, queue);
  const client = createOutboundClient({ allowLoopback: config.allowLoopback, allowHttp: !config.production });
  lifecycle.onClose('outbound client', () => client.close());
  const dispatcher = new Dispatcher(runtime, { queue, client });
  await dispatcher.start();
  lifecycle.onClose('webhook dispatcher', () => dispatcher.close());
  addCollectedGauge(metrics, {
    name: 'tow_webhook_requests_in_flight',
    help: 'Requests in flight to receivers; slow: without a response for a second, or to an endpoint that was slow',
    labelNames: ['pool'],
    collect: (set) => {
      for (const [pool, count] of Object.entries(dispatcher.countInFlight())) set({ pool }, count);
    },
  });
  openWorker<WebhookJob>(runtime, WEBHOOKS_QUEUE, async (job) => dispatcher.wake(job.data.lanes), {
    concurrency: CONCURRENCY,
  });
}
