import { MIGRATION_HEAD } from '../migrations/index.js';
import { runService } from '../shared/server/run-service.js';
import { startMcp } from './start-mcp.js';

await runService({ kind: 'web', name: 'mcp', migrationHead: MIGRATION_HEAD }, async (runtime, server) => {
  const { port } = await startMcp(runtime, server);
  runtime.logger.info({ port }, 'listening');
});
