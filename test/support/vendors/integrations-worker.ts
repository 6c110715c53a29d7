/**
 * A worker process for the queue `integrations`, with the made-up vendor Parrot and vendors of the
 * product. A test starts this process and can kill it.
 */
import { NEEDED_SCHEMA } from '../../../migrations/needed-schema.js';
import { loadConfig } from '../../../shared/config/config.js';
import { createFoundation, createRuntime } from '../../../shared/platform/process/runtime.js';
import { startWorkers } from '../../../workers/queues.js';
import { buildWorkerVendors } from './worker-vendors.js';

const foundation = createFoundation(loadConfig('all'), 'integrations');
const databaseUrl = foundation.config.databaseUrl ?? '';
const runtime = createRuntime(foundation, {
  name: 'integrations',
  databaseUrl,
  neededSchema: NEEDED_SCHEMA,
});
process.once('SIGTERM', () => void runtime.lifecycle.close(10_000).then(() => process.exit(0)));
await startWorkers(runtime, ['integrations'], buildWorkerVendors(process.env.LIFTS_LIMITS === 'true'));
process.stdout.write('working\n');
