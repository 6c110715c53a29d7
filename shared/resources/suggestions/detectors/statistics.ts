/** The middle of the values; the mean of the two in the middle of an even number. @throws {RangeError} without a value */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** Makes the median absolute deviation of a normal spread its standard deviation. */
const NORMAL = 1.4826;
/**
 * The narrowest spread that values are credited with, as a ratio (e^0.1: about a tenth). Prices off a list have no spread at all (their deviation is 0),
 * and a flat fee must not make every small difference an anomaly.
 */
const LEAST_SPREAD = 0.1;
const UNCERTAINTY = 4;

/**
 * How far a value is from the middle of others, in robust standard deviations, by their logarithms: prices, miles and times are skewed, and half is as odd as
 * double. Positive above the middle. Values must be above 0.
 */
export function robustZ(value: number, others: readonly number[]): number {
  const logs = others.map(Math.log);
  const middle = median(logs);
  const deviation = median(logs.map((log) => Math.abs(log - middle)));
  // A spread that few values show is uncertain, so it is taken wider: half as wide again for eight, a twelfth for fifty.
  const spread = NORMAL * deviation * (1 + UNCERTAINTY / others.length);
  return (Math.log(value) - middle) / Math.max(spread, LEAST_SPREAD);
}

/** Laplace's rule of succession: how likely the next one is like `hits` of `count`. Few samples give little. */
export function likelihood(hits: number, count: number): number {
  return (hits + 1) / (count + 2);
}

export function toTwoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Of an anomaly: grows with the distance, 0.5 at z 3.5. It ranks suggestions and is no probability. */
export function confidenceOf(z: number): number {
  const distance = Math.abs(z);
  return Math.min(0.99, toTwoDecimals(distance / (distance + 3.5)));
}

/** `4.1 times`, `0.25 times` */
export function timesOf(value: number, typical: number): string {
  return `${(value / typical).toFixed(value < typical ? 2 : 1)} times`;
}
