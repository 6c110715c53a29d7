import { NEEDED_SCHEMA } from '../migrations/needed-schema.js';
import { runService } from '../shared/server/run-service.js';
import { startMcp } from './start-mcp.js';

await runService({ kind: 'web', name: 'mcp', neededSchema: NEEDED_SCHEMA }, async (runtime, server) => {
  const { port } = await startMcp(runtime, server);
  runtime.logger.info({ port }, 'listening');
});
