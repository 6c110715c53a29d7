import {
  buildKnots,
  type DrivePosition,
  type DriveReading,
  type DriveWindow,
  HOUR_MS,
  type Knot,
  MAX_MPH,
  MINUTE_MS,
  readMiles,
} from './measure-drive.js';

/** A reading this near to a step counts. Positions show what the truck drove in between. */
const NEAR_MS = 5 * MINUTE_MS;
/** So does an earlier or later one, if the truck has not moved farther than this in between. */
const STILL_MILES = 0.1;
/** A reading is kept with a position that is at most this much older or newer. */
const READING_SLACK_MS = 30_000;
/** Odometers are rounded, so two readings may be so much farther apart than the truck drove. */
const ROUNDING_MILES = 0.5;
/**
 * An odometer that counts whole miles or kilometres is wrong by up to one at both steps. On a
 * shorter drive, straight lines are better.
 */
const MIN_COARSE_MILES = 20;
/** A reading is this near to a whole mile or kilometre by chance once in 50 times. */
const WHOLE = 0.01;
const KILOMETERS_PER_MILE = 1.609344;

/**
 * Roads are longer than the straight lines between positions, by few percent. Kilometres that are
 * taken for miles are above the upper bound, and miles that are taken for kilometres below the
 * lower one.
 */
const [MIN_SHARE, MAX_SHARE] = [0.95, 1.35];
const SLACK_MILES = 0.3;

/**
 * Measures by an odometer how far a truck drove in a window.
 * @param positions oldest first, with the readings
 * @param straightMiles what the positions show for the window
 * @returns null if there are no readings near both ends, or if they contradict each other or the
 *   positions
 */
export function measureByOdometer(
  positions: readonly DrivePosition[],
  window: DriveWindow,
  straightMiles: number,
): number | null {
  const { knots } = buildKnots(positions, window.untilMs);
  for (const readings of groupReadings(positions)) {
    const miles = measureReadings(readings, knots, window);
    const isPlausible =
      miles !== null &&
      miles >= straightMiles * MIN_SHARE - SLACK_MILES &&
      miles <= straightMiles * MAX_SHARE + SLACK_MILES;
    if (isPlausible) return Math.max(0, Math.round(miles * 10) / 10);
  }
  return null;
}

/**
 * Groups the readings by odometer, oldest first. Those of the vehicles themselves come before those
 * that vendors calculate.
 */
function groupReadings(positions: readonly DrivePosition[]): DriveReading[][] {
  const groups = new Map<string, DriveReading[]>();
  for (const { reading } of positions) {
    if (!reading) continue;
    const key = `${reading.source === 'obd' ? 0 : 1}/${reading.connectionId}`;
    groups.set(key, [...(groups.get(key) ?? []), reading]);
  }
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, readings]) => readings.sort((one, other) => one.atMs - other.atMs));
}

function measureReadings(
  readings: readonly DriveReading[],
  knots: readonly Knot[],
  { fromMs, untilMs }: DriveWindow,
): number | null {
  const first = findNear(readings, knots, fromMs);
  const last = findNear(readings, knots, untilMs);
  if (!first || !last || last.atMs <= first.atMs) return null;
  const between = readings.filter(({ atMs }) => atMs >= first.atMs && atMs <= last.atMs);
  if (!isSteady(between)) return null;
  const driven = last.miles - first.miles;
  if (driven < MIN_COARSE_MILES && isCoarse(between)) return null;
  const inWindow = readMiles(knots, untilMs) - readMiles(knots, fromMs);
  const inReadings = readMiles(knots, last.atMs) - readMiles(knots, first.atMs);
  return driven + inWindow - inReadings;
}

/**
 * Returns the nearest reading to a step, if it shows what the odometer was at that step. Readings
 * from before a silent time do not show that for a step after it, nor the reverse.
 */
function findNear(
  readings: readonly DriveReading[],
  knots: readonly Knot[],
  atMs: number,
): DriveReading | undefined {
  const distanceMs = (reading: DriveReading) => Math.abs(reading.atMs - atMs);
  const [first, ...others] = readings.filter((reading) => !isSilentBetween(knots, reading.atMs, atMs));
  if (!first) return undefined;
  const nearest = others.reduce((one, other) => (distanceMs(other) < distanceMs(one) ? other : one), first);
  const moved = Math.abs(readMiles(knots, nearest.atMs) - readMiles(knots, atMs));
  return distanceMs(nearest) <= NEAR_MS || moved <= STILL_MILES ? nearest : undefined;
}

/** True if the truck was silent between two times, so it may have driven anywhere and come back. */
function isSilentBetween(knots: readonly Knot[], oneMs: number, otherMs: number): boolean {
  const fromMs = Math.min(oneMs, otherMs) + READING_SLACK_MS;
  const untilMs = Math.max(oneMs, otherMs) - READING_SLACK_MS;
  return knots.some(({ atMs, before }, index) => {
    const previous = knots[index - 1];
    return previous !== undefined && before === 'unknown' && atMs > fromMs && previous.atMs < untilMs;
  });
}

/** False if the odometer falls, or jumps farther than a truck can drive. */
function isSteady(readings: readonly DriveReading[]): boolean {
  return readings.every((reading, index) => {
    const previous = readings[index - 1];
    if (!previous) return true;
    const driven = reading.miles - previous.miles;
    const hours = (reading.atMs - previous.atMs) / HOUR_MS;
    return driven >= 0 && driven <= hours * MAX_MPH + ROUNDING_MILES;
  });
}

function isCoarse(readings: readonly DriveReading[]): boolean {
  const isWhole = (value: number) => Math.abs(value - Math.round(value)) <= WHOLE;
  return [1, KILOMETERS_PER_MILE].some((unit) => readings.every(({ miles }) => isWhole(miles * unit)));
}
