import { stopStores } from './stores.js';
import { stopShared } from './use-stack.js';

/** Runs after the last test of a mocha run, even after a failure. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopShared().finally(stopStores);
}
