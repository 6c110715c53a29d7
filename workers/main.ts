import { MIGRATION_HEAD } from '../migrations/index.js';
import { loadConfig } from '../shared/platform/config.js';
import { startHealthServer } from '../shared/platform/health.js';
import { assertDirectConnection } from '../shared/platform/postgres-pooler.js';
import { assertLeastPrivilege } from '../shared/platform/postgres-privileges.js';
import { runProcess } from '../shared/platform/run-process.js';
import {
  assertSafeRedis,
  createFoundation,
  createRuntime,
  type Runtime,
} from '../shared/platform/runtime.js';
import { startTracing } from '../shared/platform/tracing.js';
import { startClock } from './clock/index.js';
import { startExportsWorker } from './exports/index.js';
import { startMessagesWorker } from './messages/index.js';
import { startWebhooksWorker } from './webhooks/index.js';
import { startWritesWorker } from './writes/index.js';

/** The queues a worker process can be asked for: `node dist/workers/main.js writes clock`. */
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

await runProcess(
  () => createFoundation(loadConfig('worker'), names.join('+')),
  async (foundation) => {
    await startTracing(foundation.config, names.join('+'), foundation.lifecycle);
    const databaseUrl = foundation.config.databaseUrl as string;
    const runtime = createRuntime(foundation, {
      name: names.join('+'),
      databaseUrl,
      migrationHead: MIGRATION_HEAD,
    });
    await assertDirectConnection(databaseUrl);
    await assertLeastPrivilege(runtime.db);
    await assertSafeRedis(runtime);
    const port = await startHealthServer(runtime);
    for (const name of names) await QUEUES[name]?.(runtime);
    runtime.logger.info({ queues: names, port }, 'working');
  },
);
