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

const SAMPLE_MS = 20;

/**
 * Prints the longest time without an acknowledged write while `act` runs and until writes continue.
 * Asserts no time.
 */
export async function reportLongestGap(fault: string, load: Load, act: () => Promise<void>): Promise<void> {
  let longestMs = 0;
  let count = load.acknowledgedCount;
  let changedAt = Date.now();
  const timer = setInterval(() => {
    if (load.acknowledgedCount !== count) changedAt = Date.now();
    count = load.acknowledgedCount;
    longestMs = Math.max(longestMs, Date.now() - changedAt);
  }, SAMPLE_MS);
  try {
    await act();
    await load.waitForCalls();
  } finally {
    clearInterval(timer);
  }
  process.stdout.write(`      ${fault}: no write was acknowledged for ${longestMs} ms\n`);
}
