import { loadConfig } from '../../shared/platform/config.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres.js';
import { limitSuspects } from '../../workers/writes/isolate.js';
import { Repeats } from '../../workers/writes/repeats.js';
import type { BatchContext } from '../../workers/writes/run-batch.js';

/** The configuration of batches that a test runs itself, without a worker process. */
const batchConfig = loadConfig('all', {
  SECRET_KEY: 'a secret of the tests, long enough for anybody',
});

/** The context in which a test runs its batches. */
export function batchContextOf({ db, logger }: { db: Database; logger: Logger }): BatchContext {
  return {
    config: batchConfig,
    db,
    logger,
    repeats: new Repeats(),
    suspects: limitSuspects(100),
    beforeCommit: () => undefined,
  };
}
