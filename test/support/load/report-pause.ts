import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.js';

/** Writes that were under way when a fault began may still be acknowledged within this time. */
const UNDER_WAY_MS = 500;

/** Prints how long after a fault a write is acknowledged again. Asserts no time. */
export async function reportPause(fault: string, load: Load): Promise<void> {
  const startedAt = Date.now();
  await sleep(UNDER_WAY_MS);
  await load.waitForCalls(1);
  process.stdout.write(`      ${fault}: writes again within ${Date.now() - startedAt} ms\n`);
}
