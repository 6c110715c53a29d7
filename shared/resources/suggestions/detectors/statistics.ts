/** @throws {RangeError} for no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** For normally distributed values: standard deviation divided by median absolute deviation. */
const MAD_TO_STANDARD_DEVIATION = 1.4826;
/**
 * A logarithm of a ratio: e^0.1 is about a tenth more. List prices have no spread at all, and a
 * flat fee must not make every small difference an anomaly.
 */
const MIN_SPREAD = 0.1;
const UNCERTAINTY = 4;

/**
 * The distance from the median of the others, in robust standard deviations; positive above the
 * median. Uses logarithms, because prices, miles and times are skewed, and half is as unusual as
 * double. Values must be above 0.
 */
export function computeRobustZ(value: number, others: readonly number[]): number {
  const logs = others.map(Math.log);
  const middle = median(logs);
  const deviation = median(logs.map((log) => Math.abs(log - middle)));
  // Few values estimate the spread badly, so it is widened: by a half for eight values, by a
  // twelfth for fifty.
  const spread = MAD_TO_STANDARD_DEVIATION * deviation * (1 + UNCERTAINTY / others.length);
  return (Math.log(value) - middle) / Math.max(spread, MIN_SPREAD);
}

/** Laplace's rule of succession: the probability of a hit after `hits` of `count`. */
export function estimateLikelihood(hits: number, count: number): number {
  return (hits + 1) / (count + 2);
}

export function toTwoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * 0.5 at z 3.5, and more with the distance. The value ranks suggestions and is not a probability.
 */
export function computeAnomalyConfidence(z: number): number {
  const distance = Math.abs(z);
  return Math.min(0.99, toTwoDecimals(distance / (distance + 3.5)));
}

/** `4.1 times`, `0.25 times` */
export function formatRatio(value: number, typical: number): string {
  return `${(value / typical).toFixed(value < typical ? 2 : 1)} times`;
}
