import { migrate } from '../../migrations/migrate.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';
import type { Foundation } from '../../shared/platform/process/run-process.js';
import { waitForPostgres } from '../../shared/server/await-stores.js';
import { openStore } from '../cli/store.js';
import { ensureDemo } from '../demo/demo-file.js';
import { buildPublicAddresses } from '../demo/welcome.js';

/** The port of the `web` process if PORT is not set. */
const WEB_PORT = 3000;

/**
 * Runs the release phase of a deployment: waits for PostgreSQL, migrates the database, and creates
 * the demo if DEMO is true. Safe to run again and while processes run. Writes one log entry.
 */
export async function release(foundation: Foundation): Promise<void> {
  const { config, logger } = foundation;
  const databaseUrl = config.databaseUrl as string;
  await waitForPostgres(foundation, databaseUrl);
  const applied = await migrate({
    databaseUrl,
    appRole: getAppRole(databaseUrl),
    withQueue: !config.redis,
  });
  if (config.demo) {
    const addresses = buildPublicAddresses(config, config.port || WEB_PORT);
    const quiet = { info: () => undefined, warn: logger.warn.bind(logger) };
    await ensureDemo(openStore(foundation, databaseUrl, 'release'), { config, addresses, logger: quiet });
  }
  logger.info({ applied, demo: config.demo }, 'released');
}
