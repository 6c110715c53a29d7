import { NEEDED_SCHEMA } from '../migrations/needed-schema.js';
import { createHealthListener, createStoreChecks } from '../shared/server/health.js';
import { runService } from '../shared/server/run-service.js';
import { isQueueName, QUEUES, startWorkers } from './queues.js';

const names = process.argv.slice(2);
const queues = names.filter(isQueueName);
const unknown = names.filter((name) => !isQueueName(name));
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(
    `Name the queues to work on: ${QUEUES.join(', ')}. Unknown: ${unknown.join(', ') || 'none'}\n`,
  );
  process.exit(2);
}

await runService(
  { kind: 'worker', name: names.join('+'), neededSchema: NEEDED_SCHEMA },
  async (runtime, server) => {
    await startWorkers(runtime, queues);
    const purpose = 'This process works on queues.';
    server.serve(createHealthListener(runtime, createStoreChecks(runtime), purpose), runtime.metrics);
    runtime.logger.info({ queues: names, port: server.port }, 'working');
  },
);
