import type { Runtime } from '../../shared/platform/process/runtime.js';
import { isReplicaCurrent } from '../../shared/platform/replica/await-replay.js';
import type { LeasedExport } from '../../shared/resources/exports/run-store.js';

/** Maximum wait until the replica has replayed all commits from before the export request. */
const CATCH_UP_MS = 5000;

/**
 * Returns the URL of the database to read. The first try reads the replica, if the replica has
 * replayed all commits from before the export request. Later tries read the primary, because a
 * replica may cancel a long query.
 */
export async function chooseSource(
  { config, databaseUrl, logger }: Runtime,
  { tries, walLsn }: Pick<LeasedExport, 'tries' | 'walLsn'>,
): Promise<string> {
  const { databaseReplicaUrl } = config;
  if (!databaseReplicaUrl || tries > 1) return databaseUrl;
  try {
    if (await isReplicaCurrent(databaseReplicaUrl, { lsn: walLsn, timeoutMs: CATCH_UP_MS }))
      return databaseReplicaUrl;
    logger.warn({ walLsn }, 'the replica is behind; exporting from the primary');
  } catch (error) {
    logger.warn({ err: error }, 'the replica is unreachable; exporting from the primary');
  }
  return databaseUrl;
}
