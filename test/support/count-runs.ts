/**
 * Returns how many random cases of a property a test tries. CI tries all, other runs a quarter:
 * failures are rare, and print the seed that repeats them.
 */
export function countRuns(inCi: number): number {
  return process.env.CI ? inCi : Math.ceil(inCi / 4);
}
