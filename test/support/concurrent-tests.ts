import { createConcurrencyLimit } from './concurrency-limit.js';

/**
 * Runs tests concurrently that mostly wait, each with its own stores and processes. Each `it`
 * reports the result of one test. TEST_ONLY=<pattern> in the environment selects tests by title.
 * @param scenarios by title, the longest first
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
      // The scenario's own `it` awaits the outcome, perhaps long after a failure.
      outcome.catch(() => undefined);
      outcomes.set(title, outcome);
    }
  });
  for (const [title] of chosen) it(title, async () => outcomes.get(title)).timeout(timeoutMs);
  // A scenario whose test timed out must still clean up.
  after(async () => void (await Promise.allSettled(outcomes.values()))).timeout(timeoutMs);
}
