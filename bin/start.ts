import { startApi } from '../api/start-api.js';
import { createMcpListener } from '../mcp/http.js';
import { MIGRATION_HEAD } from '../migrations/index.js';
import { migrate } from '../migrations/migrate.js';
import { ensureDemo } from '../shared/demo/demo-file.js';
import { loadConfig } from '../shared/platform/config.js';
import { assertDirectConnection } from '../shared/platform/postgres-pooler.js';
import { assertLeastPrivilege } from '../shared/platform/postgres-privileges.js';
import { appRoleOf } from '../shared/platform/postgres-session.js';
import { type Foundation, runProcess } from '../shared/platform/run-process.js';
import {
  assertSafeRedis,
  createFoundation,
  createRuntime,
  resolveDatabaseUrl,
} from '../shared/platform/runtime.js';
import { startTracing } from '../shared/platform/tracing.js';
import { startClock } from '../workers/clock/index.js';
import { startExportsWorker } from '../workers/exports/index.js';
import { startMessagesWorker } from '../workers/messages/index.js';
import { startWebhooksWorker } from '../workers/webhooks/index.js';
import { startWritesWorker } from '../workers/writes/index.js';
import { publicAddresses, welcomeText } from './welcome.js';

// The all-in-one way: api, agents' server, workers and clock in one process, on the embedded PostgreSQL unless DATABASE_URL names another.
await runProcess(() => createFoundation(loadConfig('all'), 'tow'), startAll);

async function startAll(foundation: Foundation): Promise<void> {
  const { config } = foundation;
  await startTracing(config, 'all', foundation.lifecycle);
  const databaseUrl = await resolveDatabaseUrl(foundation);
  if (config.databaseUrl) await assertDirectConnection(databaseUrl);
  await migrate({ databaseUrl, appRole: appRoleOf(databaseUrl), withQueue: !config.redisUrl });
  const runtime = createRuntime(foundation, { name: 'all', databaseUrl, migrationHead: MIGRATION_HEAD });
  await assertLeastPrivilege(runtime.db);
  await assertSafeRedis(runtime);
  startWritesWorker(runtime);
  await startClock(runtime);
  startMessagesWorker(runtime);
  await startWebhooksWorker(runtime);
  startExportsWorker(runtime);
  // Before the first request is answered: who finds /readyz green finds demo.json too.
  const demoAt = (port: number) =>
    config.demo
      ? ensureDemo(runtime.db, { config, addresses: publicAddresses(config, port), logger: runtime.logger })
      : undefined;
  const seeded = await demoAt(config.port);
  const { port } = await startApi(runtime, await createMcpListener(runtime));
  const demo = port === config.port ? seeded : await demoAt(port);
  const addresses = publicAddresses(config, port);
  process.stdout.write(welcomeText({ addresses, demo, dataDir: config.dataDir }));
}
