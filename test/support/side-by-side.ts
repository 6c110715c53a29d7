/**
 * Registers tests that mostly wait, each on stores and processes of its own: they run side by side, and each `it` tells the outcome of one.
 * With TEST_ONLY=<pattern> in the environment only those whose title matches are there.
 * @param scenarios by title, the longest first
 * @param atOnce how many the machine bears
 */
export function sideBySide(
  scenarios: Record<string, () => Promise<void>>,
  { atOnce, timeoutMs }: { atOnce: number; timeoutMs: number },
): void {
  const only = new RegExp(process.env.TEST_ONLY ?? '');
  const chosen = Object.entries(scenarios).filter(([title]) => only.test(title));
  const outcomes = new Map<string, Promise<void>>();
  const turns = takeTurns(atOnce);

  before(() => {
    for (const [title, run] of chosen) {
      const outcome = turns(run);
      // Its own test looks at it, perhaps long after it failed.
      outcome.catch(() => undefined);
      outcomes.set(title, outcome);
    }
  });
  for (const [title] of chosen) it(title, async () => outcomes.get(title)).timeout(timeoutMs);
  // One whose test ran out of time still has to clean up after itself.
  after(async () => void (await Promise.allSettled(outcomes.values()))).timeout(timeoutMs);
}

/** Runs what it is given, never more than so many at once, in the order it was given. */
function takeTurns(atOnce: number): (run: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((turn) => waiting.push(turn));
    try {
      await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
