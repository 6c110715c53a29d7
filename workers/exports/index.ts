import { addCollectedGauge } from '../../shared/platform/metrics.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { logCheckFailure } from '../../shared/platform/start-failure.js';
import { openWorker } from '../../shared/queues/backend.js';
import { EXPORTS_QUEUE, type ExportJob, openExportsQueue } from '../../shared/queues/exports.js';
import { addQueueGauges } from '../../shared/queues/gauges.js';
import { openWritesQueue } from '../../shared/queues/writes.js';
import { openStorage } from '../../shared/storage/open-storage.js';
import { assertWritable } from '../../shared/storage/probe.js';
import { startStorageCleaner } from './cleaner.js';
import { Exporter } from './exporter.js';

/**
 * Maximum number of concurrent wake-up jobs. Few are enough, because a job only checks a tenant for
 * due exports.
 */
const CONCURRENCY = 4;

export function startExportsWorker(runtime: Runtime): void {
  const { config, lifecycle, logger, metrics } = runtime;
  addQueueGauges(runtime, openExportsQueue(runtime));
  const writes = openWritesQueue(runtime);
  const storage = openStorage(config.exportStorage);
  logCheckFailure(logger, assertWritable(storage));
  const exporter = new Exporter(runtime, { storage, writes });
  lifecycle.onClose('running exports', () => exporter.close());
  startStorageCleaner(runtime, storage);
  addCollectedGauge(metrics, {
    name: 'tow_exports',
    help: 'Exports in this process',
    labelNames: ['state'],
    collect: (set) => {
      for (const [state, count] of Object.entries(exporter.counts)) set({ state }, count);
    },
  });
  openWorker<ExportJob>(runtime, EXPORTS_QUEUE, async ({ data }) => exporter.startDueExports(data), {
    concurrency: CONCURRENCY,
  });
}
