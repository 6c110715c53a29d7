/**
 * How many random cases of a property a test tries. CI tries all; elsewhere a quarter, because a
 * failure is rare and prints the seed that repeats it.
 */
export function countRuns(inCi: number): number {
  return process.env.CI ? inCi : Math.ceil(inCi / 4);
}
