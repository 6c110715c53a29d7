import { isReplicaCurrent } from '../../shared/platform/postgres/replica.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { LeasedExport } from '../../shared/resources/exports/run-store.js';

/** How long to wait for a replica to reach the position of the export request. */
const CATCH_UP_MS = 5000;

/**
 * Chooses the replica if it has replayed everything committed before the export request. A replica
 * may cancel a long query, so every later try reads from the primary.
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
