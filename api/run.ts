import { NEEDED_SCHEMA } from '../migrations/needed-schema.js';
import { runService } from '../shared/server/run-service.js';
import { startApi } from './start-api.js';

await runService({ kind: 'web', name: 'web', neededSchema: NEEDED_SCHEMA }, async (runtime, server) => {
  const { port } = await startApi(runtime, undefined, { server });
  runtime.logger.info({ port }, 'listening');
});
