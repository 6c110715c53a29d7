import { IS_SCALED } from './stores.js';

/** CI tries all cases once, all in one. Other runs try a quarter, `npm run test:quick` less. */
const TRIES_ALL = Boolean(process.env.CI) && !IS_SCALED;
const SHARE = process.env.TEST_QUICK ? 16 : 4;

/**
 * Returns how many random cases of a property a test tries. Failures are rare, and print the seed
 * that repeats them.
 */
export function countRuns(inCi: number): number {
  return TRIES_ALL ? inCi : Math.ceil(inCi / SHARE);
}

/**
 * Returns the cases that a run tries: all, or every fourth from a random one on.
 */
export function chooseCases<T>(cases: readonly T[]): T[] {
  const first = Math.floor(Math.random() * SHARE);
  return TRIES_ALL ? [...cases] : cases.filter((_, nth) => nth % SHARE === first);
}
