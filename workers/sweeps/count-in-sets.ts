import type { Transaction } from '../../shared/platform/postgres/database.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { setQueryTimeout } from './isolate-tenants.js';
import { splitTenants } from './sweep-tenants.js';

/** Time limit in ms of each counting query. A longer count would delay the clock's other tasks. */
const COUNT_TIMEOUT_MS = 1_000;

/**
 * Counts something in all accounts, for a gauge, one set of tenants after another. Each set has a
 * transaction of its own, so that a failed count rolls back nothing else.
 * @param what what is counted, in the plural, for the log
 * @returns the count of each set; undefined after a failure, so that the gauge keeps its last value
 */
export async function countInSets<Count>(
  { db, logger }: Runtime,
  what: string,
  count: (tx: Transaction) => Promise<Count>,
): Promise<Count[] | undefined> {
  try {
    const counts: Count[] = [];
    for (const tenantIds of splitTenants(await db.listTenantIds())) {
      const found = await db.transaction(tenantIds, async (tx) => {
        await setQueryTimeout(tx, COUNT_TIMEOUT_MS);
        return count(tx);
      });
      counts.push(found);
    }
    return counts;
  } catch (error) {
    logger.warn({ err: error }, `could not count the ${what}`);
    return undefined;
  }
}
