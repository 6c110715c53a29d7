import { MIGRATION_HEAD } from '../migrations/index.js';
import { loadConfig } from '../shared/platform/config.js';
import { assertDirectConnection } from '../shared/platform/postgres-pooler.js';
import { assertLeastPrivilege } from '../shared/platform/postgres-privileges.js';
import { runProcess } from '../shared/platform/run-process.js';
import { assertSafeRedis, createFoundation, createRuntime } from '../shared/platform/runtime.js';
import { startTracing } from '../shared/platform/tracing.js';
import { startApi } from './start-api.js';

await runProcess(
  () => createFoundation(loadConfig('web'), 'web'),
  async (foundation) => {
    await startTracing(foundation.config, 'web', foundation.lifecycle);
    const databaseUrl = foundation.config.databaseUrl as string;
    const runtime = createRuntime(foundation, { name: 'web', databaseUrl, migrationHead: MIGRATION_HEAD });
    await assertDirectConnection(databaseUrl);
    await assertLeastPrivilege(runtime.db);
    await assertSafeRedis(runtime);
    const { port } = await startApi(runtime);
    runtime.logger.info({ port }, 'listening');
  },
);
