import { MIGRATION_HEAD } from '../migrations/index.js';
import type { Runtime } from '../shared/platform/process/runtime.js';
import { serveHealth } from '../shared/server/health.js';
import { runService } from '../shared/server/run-service.js';
import { startClock } from './clock/index.js';
import { startExportsWorker } from './exports/index.js';
import { startMessagesWorker } from './messages/index.js';
import { startWebhooksWorker } from './webhooks/index.js';
import { startWritesWorker } from './writes/index.js';

/**
 * The queues that a worker process can consume. Its arguments name them: `node dist/workers/main.js
 * writes clock`.
 */
const QUEUES: Record<string, (runtime: Runtime) => Promise<void> | void> = {
  writes: startWritesWorker,
  clock: startClock,
  messages: startMessagesWorker,
  webhooks: startWebhooksWorker,
  exports: startExportsWorker,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !QUEUES[name]);
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `Name the queues to work on: ${Object.keys(QUEUES).join(', ')}. Unknown: ${unknown.join(', ') || 'none'}\n`,
  );
  process.exit(2);
}

await runService(
  { kind: 'worker', name: names.join('+'), migrationHead: MIGRATION_HEAD },
  async (runtime, server) => {
    for (const name of names) await QUEUES[name]?.(runtime);
    serveHealth(runtime, server);
    runtime.logger.info({ queues: names, port: server.port }, 'working');
  },
);
