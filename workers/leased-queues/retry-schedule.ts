const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait before each attempt; the first starts immediately. The ten attempts span 75 h 35 min. */
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

/** Jitter lengthens a wait by up to this fraction and never shortens it. */
const JITTER = 0.1;

/** @param random from 0 to 1 */
export function addJitter(waitMs: number, random: number): number {
  return Math.ceil(waitMs * (1 + JITTER * random));
}
