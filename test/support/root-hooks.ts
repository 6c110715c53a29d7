import { makePasswordsCheap } from './password-cost.js';
import { stopStores } from './stores.js';
import { stopShared } from './use-stack.js';

makePasswordsCheap();

/** Mocha calls this function after the last test of a run, even after a failure. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopShared().finally(stopStores);
}
