import { createConcurrencyLimit } from './concurrency-limit.js';

/**
 * Registers tests that mostly wait, and runs them concurrently to save time. Each test must have
 * its own stores and processes. Each `it` reports the result of one test. TEST_ONLY=<pattern> in
 * the environment selects tests by title.
 * @param scenarios tests by title, the longest-running first
 */
export function registerConcurrentTests(
  scenarios: Record<string, () => Promise<void>>,
  { maxConcurrent, timeoutMs }: { maxConcurrent: number; timeoutMs: number },
): void {
  const only = new RegExp(process.env.TEST_ONLY ?? '');
  const chosen = Object.entries(scenarios).filter(([title]) => only.test(title));
  const outcomes = new Map<string, Promise<void>>();
  const runLimited = createConcurrencyLimit(maxConcurrent);

  before(() => {
    for (const [title, run] of chosen) {
      const outcome = runLimited(run);
      // The `it` of a scenario may await the outcome long after the scenario has failed. This
      // handler prevents an unhandled rejection in between.
      outcome.catch(() => undefined);
      outcomes.set(title, outcome);
    }
  });
  for (const [title] of chosen) it(title, async () => outcomes.get(title)).timeout(timeoutMs);
  // Wait for scenarios whose `it` timed out, because they must still clean up.
  after(async () => void (await Promise.allSettled(outcomes.values()))).timeout(timeoutMs);
}
