const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The wait before each attempt. The first attempt starts immediately. The ten attempts span 75 h 35
 * min.
 */
export const RETRY_SCHEDULE_MS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** A wait is lengthened by up to this fraction, and never shortened. */
const JITTER = 0.1;

/**
 * Lengthens a wait by a random part of at most JITTER.
 * @param random number from 0 to 1
 */
export function addJitter(waitMs: number, random: number): number {
  return Math.ceil(waitMs * (1 + JITTER * random));
}
