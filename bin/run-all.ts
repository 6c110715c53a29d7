import { startApi } from '../api/start-api.js';
import { createMcpListener } from '../mcp/http.js';
import { migrate } from '../migrations/migrate.js';
import { NEEDED_SCHEMA } from '../migrations/needed-schema.js';
import { loadConfig } from '../shared/config/config.js';
import { getAppRole } from '../shared/platform/postgres/session.js';
import { type Foundation, runProcess } from '../shared/platform/process/run-process.js';
import { createFoundation, createRuntime } from '../shared/platform/process/runtime.js';
import { startTracing } from '../shared/platform/tracing.js';
import { waitForConnections, waitForPostgres, waitForStores } from '../shared/server/await-stores.js';
import { createStartupListener } from '../shared/server/health.js';
import { openHttpServer } from '../shared/server/http-server.js';
import { startWorkers } from '../workers/queues.js';
import { ensureDemo } from './demo/demo-file.js';
import { buildPublicAddresses, renderWelcome } from './demo/welcome.js';
import { startEmbeddedServer } from './embedded-postgres/server-of-process.js';

await runProcess(() => createFoundation(loadConfig('all'), 'tow'), startAll);

async function startAll(foundation: Foundation): Promise<void> {
  const { config, logger } = foundation;
  await startTracing(config, 'all', foundation.lifecycle);
  const server = await openHttpServer(foundation, createStartupListener(foundation));
  const databaseUrl = config.databaseUrl ?? (await startEmbeddedServer(foundation));
  await waitForPostgres(foundation, databaseUrl);
  await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: !config.redis });
  await waitForStores(foundation, { databaseUrl, neededSchema: NEEDED_SCHEMA });
  const runtime = createRuntime(foundation, { name: 'all', databaseUrl, neededSchema: NEEDED_SCHEMA });
  await waitForConnections(runtime);
  await startWorkers(runtime);
  const addresses = buildPublicAddresses(config, server.port);
  // Create the demo before the API starts, so that demo.json exists as soon as /readyz returns 200.
  const demo = config.demo ? await ensureDemo(runtime.db, { config, addresses, logger }) : undefined;
  await startApi(runtime, await createMcpListener(runtime), { server });
  process.stdout.write(renderWelcome({ addresses, demo, dataDir: config.dataDir }));
}
