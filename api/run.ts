import { MIGRATION_HEAD } from '../migrations/index.js';
import { runService } from '../shared/server/run-service.js';
import { startApi } from './start-api.js';

await runService({ kind: 'web', name: 'web', migrationHead: MIGRATION_HEAD }, async (runtime, server) => {
  const { port } = await startApi(runtime, undefined, { server });
  runtime.logger.info({ port }, 'listening');
});
