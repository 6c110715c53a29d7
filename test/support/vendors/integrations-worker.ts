/**
 * A worker process for the queue `integrations`, with the made-up vendor Parrot and the product's
 * own vendors. A test starts this process and can kill it.
 */
import { MIGRATION_HEAD } from '../../../migrations/index.js';
import { loadConfig } from '../../../shared/config/config.js';
import { Vendors } from '../../../shared/integrations/contract/vendor.js';
import { stripe } from '../../../shared/integrations/stripe/adapter.js';
import { createFoundation, createRuntime } from '../../../shared/platform/process/runtime.js';
import { startWorkers } from '../../../workers/queues.js';
import { TEST_VENDORS } from './texting.js';

const foundation = createFoundation(loadConfig('all'), 'integrations');
const databaseUrl = foundation.config.databaseUrl ?? '';
const runtime = createRuntime(foundation, {
  name: 'integrations',
  databaseUrl,
  migrationHead: MIGRATION_HEAD,
});
process.once('SIGTERM', () => void runtime.lifecycle.close(10_000).then(() => process.exit(0)));
await startWorkers(runtime, ['integrations'], new Vendors([...TEST_VENDORS.all, stripe]));
process.stdout.write('working\n');
