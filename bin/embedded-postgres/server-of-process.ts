import type { Foundation } from '../../shared/platform/process/run-process.js';
import { startEmbeddedPostgres } from './start.js';

/**
 * Starts the embedded server of DATA_DIR and resolves with the owner role's connection string. The
 * lifecycle stops the server.
 * @throws {Error} if the start fails, or another process runs that server ({@link isDataDirTaken})
 */
export async function startEmbeddedServer({ config, logger, lifecycle }: Foundation): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  lifecycle.onClose('embedded postgres', () => embedded.stop());
  return embedded.databaseUrl;
}

/**
 * True if the error says that another process, such as `npm start`, runs the embedded server of
 * this DATA_DIR.
 */
export function isDataDirTaken(error: unknown): boolean {
  return error instanceof Error && error.message.includes('already runs in DATA_DIR');
}
