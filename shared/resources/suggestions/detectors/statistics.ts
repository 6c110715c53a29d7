/** @throws {RangeError} if there are no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/**
 * In a normal distribution, the standard deviation is 1.4826 times the median absolute deviation.
 */
const MAD_TO_STANDARD_DEVIATION = 1.4826;
/**
 * The minimum spread, as the logarithm of a ratio: 0.1 means about a tenth more. Prices from a list
 * have no spread at all. Without a minimum, every small difference from a list price would be an
 * anomaly.
 */
const MIN_SPREAD = 0.1;
const UNCERTAINTY = 4;

/**
 * Returns the distance of `value` from the median of `others`, in robust standard deviations. The
 * distance is positive if `value` is above the median. All values must be above 0. The function
 * compares logarithms, because prices, miles and times are skewed. Half the median is therefore as
 * far away as double the median.
 */
export function computeRobustZ(value: number, others: readonly number[]): number {
  const logs = others.map(Math.log);
  const middle = median(logs);
  const deviation = median(logs.map((log) => Math.abs(log - middle)));
  // Widen the spread, because an estimate from few values is unreliable. The spread grows by a half
  // for eight values, and by a twelfth for fifty.
  const spread = MAD_TO_STANDARD_DEVIATION * deviation * (1 + UNCERTAINTY / others.length);
  return (Math.log(value) - middle) / Math.max(spread, MIN_SPREAD);
}

/**
 * Returns the probability that the next trial is a hit, after `hits` in `count` trials (Laplace's
 * rule of succession).
 */
export function estimateLikelihood(hits: number, count: number): number {
  return (hits + 1) / (count + 2);
}

export function toOneDecimal(value: number): number {
  return Math.round(value * 10) / 10;
}

export function toTwoDecimals(value: number): number {
  return Math.round(value * 100) / 100;
}

/**
 * Returns a confidence between 0 and 1. It ranks suggestions, but is not a probability. It is 0.5
 * at z = 3.5 and grows with the distance from the median.
 */
export function computeAnomalyConfidence(z: number): number {
  const distance = Math.abs(z);
  return Math.min(0.99, toTwoDecimals(distance / (distance + 3.5)));
}

/** Formats a ratio as `4.1 times` or `0.25 times`. */
export function formatRatio(value: number, typical: number): string {
  return `${(value / typical).toFixed(value < typical ? 2 : 1)} times`;
}
