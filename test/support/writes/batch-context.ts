import { loadConfig } from '../../../shared/config/config.js';
import type { Logger } from '../../../shared/platform/logger.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import { ConflictMonitor } from '../../../workers/writes/conflict-monitor.js';
import { createSuspectLimit } from '../../../workers/writes/isolate-commands.js';
import type { BatchContext } from '../../../workers/writes/run-batch.js';

/**
 * The configuration for batches of commands that a test runs directly, without a worker process.
 */
const batchConfig = loadConfig('all', {
  SECRET_KEY: 'a secret of the tests, long enough for anybody',
});

export function createBatchContext({ db, logger }: { db: Database; logger: Logger }): BatchContext {
  return {
    config: batchConfig,
    db,
    logger,
    conflictMonitor: new ConflictMonitor(),
    suspectLimit: createSuspectLimit(100),
    beforeCommit: () => undefined,
  };
}
