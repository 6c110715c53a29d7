import { IS_SCALED } from './stores.js';

/**
 * In CI, the run with the product in one process tries all cases. Other runs try a quarter of the
 * cases, and `npm run test:quick` a sixteenth.
 */
const TRIES_ALL = Boolean(process.env.CI) && !IS_SCALED;
const SHARE = process.env.TEST_QUICK ? 16 : 4;

/**
 * Returns how many random cases a property-based test tries. If the test fails, it prints a seed
 * that repeats the failed case.
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
