/**
 * Returns how many random cases a property test tries: in CI `inCi`, elsewhere a quarter of `inCi`
 * to save time. Failures are rare, and each prints the seed that repeats it.
 */
export function countRuns(inCi: number): number {
  return process.env.CI ? inCi : Math.ceil(inCi / 4);
}
