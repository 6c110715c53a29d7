import { IS_SCALED } from './stores.js';

/**
 * CI tries all cases when it runs the product all in one. Other runs try a quarter of the cases,
 * and `npm run test:quick` a sixteenth.
 */
const TRIES_ALL = Boolean(process.env.CI) && !IS_SCALED;
const SHARE = process.env.TEST_QUICK ? 16 : 4;

/**
 * Returns how many random cases a test of a property tries. A failure prints the seed that repeats
 * it.
 */
export function countRuns(inCi: number): number {
  return TRIES_ALL ? inCi : Math.ceil(inCi / SHARE);
}

/**
 * Returns the cases that a run tries: all, or one in every SHARE cases, beginning with a random
 * case.
 */
export function chooseCases<T>(cases: readonly T[]): T[] {
  const first = Math.floor(Math.random() * SHARE);
  return TRIES_ALL ? [...cases] : cases.filter((_, nth) => nth % SHARE === first);
}
