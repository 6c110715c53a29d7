import { stopStores } from './stores.js';

/** Runs after the last test of a mocha run, whatever failed. */
export async function mochaGlobalTeardown(): Promise<void> {
  await stopStores();
}
