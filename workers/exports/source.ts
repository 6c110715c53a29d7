import { isReplicaCurrent } from '../../shared/platform/postgres-replica.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import type { ClaimedExport } from '../../shared/resources/exports/run-store.js';

/** How long a replica may take to catch up with the moment at which an export was asked for. */
const CATCH_UP_MS = 5000;

/**
 * Address of the PostgreSQL to read from: the replica, when there is one and it has everything that was committed before the export was asked for. A replica may cancel a long
 * reading for its own sake, so what broke off once is read from the primary.
 */
export async function chooseSource(
  { config, databaseUrl, logger }: Runtime,
  { tries, walLsn }: Pick<ClaimedExport, 'tries' | 'walLsn'>,
): Promise<string> {
  const { databaseReplicaUrl } = config;
  if (!databaseReplicaUrl || tries > 1) return databaseUrl;
  try {
    if (await isReplicaCurrent(databaseReplicaUrl, { lsn: walLsn, timeoutMs: CATCH_UP_MS }))
      return databaseReplicaUrl;
    logger.warn({ walLsn }, 'the replica is behind; exporting from the primary');
  } catch (error) {
    logger.warn({ err: error }, 'the replica cannot be asked; exporting from the primary');
  }
  return databaseUrl;
}
