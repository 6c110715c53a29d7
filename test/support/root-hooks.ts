import { makePasswordsCheap } from './password-cost.js';
import { compareStoredJson } from './stored-json/compare.js';
import { createSuperuserDatabase, listDatabases, stopStores } from './stores.js';
import { checkSentQueries } from './tenancy/check-sent-queries.js';
import { stopShared } from './use-stack.js';

makePasswordsCheap();

/**
 * Mocha calls this function after the last test of a run, even after a failure. It compares the
 * stored JSON texts of all records that the tests have left behind, and checks that every query
 * names the tenant.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopShared()
    .then(async () => compareStoredJson(await listDatabases()))
    .then(() => checkSentQueries(createSuperuserDatabase))
    .finally(stopStores);
}
