import { makePasswordsCheap } from './password-cost.js';
import { compareStoredJson } from './stored-json/compare.js';
import { listDatabases, stopStores } from './stores.js';
import { stopShared } from './use-stack.js';

makePasswordsCheap();

/**
 * Mocha calls this function after the last test of a run, even after a failure. It compares the
 * stored JSON texts of all records that the tests have left behind.
 */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopShared()
    .then(async () => compareStoredJson(await listDatabases()))
    .finally(stopStores);
}
