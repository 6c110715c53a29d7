/**
 * Returns a function that runs the functions passed to it, at most `atOnce` at a time. Further
 * functions wait, and start in the order in which they were passed.
 */
export function createConcurrencyLimit(atOnce: number): (run: () => Promise<void>) => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resume) => waiting.push(resume));
    try {
      await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
