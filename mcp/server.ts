import { MIGRATION_HEAD } from '../migrations/index.js';
import { loadConfig } from '../shared/platform/config.js';
import { assertDirectConnection } from '../shared/platform/postgres-pooler.js';
import { assertLeastPrivilege } from '../shared/platform/postgres-privileges.js';
import { runProcess } from '../shared/platform/run-process.js';
import { assertSafeRedis, createFoundation, createRuntime } from '../shared/platform/runtime.js';
import { startTracing } from '../shared/platform/tracing.js';
import { startMcp } from './start-mcp.js';

await runProcess(
  () => createFoundation(loadConfig('web'), 'mcp'),
  async (foundation) => {
    await startTracing(foundation.config, 'mcp', foundation.lifecycle);
    const databaseUrl = foundation.config.databaseUrl as string;
    const runtime = createRuntime(foundation, { name: 'mcp', databaseUrl, migrationHead: MIGRATION_HEAD });
    await assertDirectConnection(databaseUrl);
    await assertLeastPrivilege(runtime.db);
    await assertSafeRedis(runtime);
    const { port } = await startMcp(runtime);
    runtime.logger.info({ port }, 'listening');
  },
);
