import type { OdometerSource } from '../../../integrations/contract/telematics.js';
import { type Coordinates, measureMiles } from '../../trucks/great-circle.js';
import { isStanding } from '../../trucks/positions.js';

/** What the odometer of a truck showed. */
export interface DriveReading {
  miles: number;
  source: OdometerSource;
  /** The connection that reported it. Each vendor calculates its own odometer. */
  connectionId: string;
  /** In ms since 1970. */
  atMs: number;
}

/** A kept position of a truck. */
export interface DrivePosition extends Coordinates {
  speedMph: number | null;
  /** In ms since 1970. */
  atMs: number;
  reading?: DriveReading | null;
}

/** A part of a work order, in ms since 1970. */
export interface DriveWindow {
  fromMs: number;
  untilMs: number;
}

export interface MeasuredDrive {
  /** Null if the positions are too few to trust, or contradict each other. */
  miles: number | null;
  /** The share of the time for which positions show where the truck was: 0 to 1. */
  coverage: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A smaller move is noise of the receiver. A standing truck would else drive a mile an hour. */
const MIN_MOVE_MILES = 0.03;
/** A tow truck drives no faster. A position that would need it is wrong. */
export const MAX_MPH = 100;
/** At least so many wrong positions, and a tenth of all, show that none of them can be trusted. */
const MAX_WRONG = 2;
const MAX_WRONG_SHARE = 0.1;
/** In a shorter time, the way between two positions is nearly straight. */
const TRUSTED_GAP_MS = 3 * MINUTE_MS;
/** A truck may drive anywhere in a longer time, so no figure is better than a low one. */
const MAX_GAP_MS = 10 * MINUTE_MS;
const MIN_COVERAGE = 0.5;
/**
 * Vendors report a parked truck once, and again when it leaves. A truck that was parked when it was
 * last seen still stood so much later. After a longer time, its device may be silent for another
 * reason, and the truck may have been away.
 */
const MAX_SILENT_MS = 20 * MINUTE_MS;
/** The first report after a parked time is at most this far away. */
const MAX_LEAVING_MILES = 1;

/** A truck that loads or unloads a vehicle stands so near to the step. */
const NEAR_MS = 3 * MINUTE_MS;

/** A time at which the driven miles are known. */
export interface Knot {
  atMs: number;
  /** Miles since the first position. */
  miles: number;
  /** What is known of the time before this knot, back to the one before it. */
  before: 'seen' | 'parked' | 'unknown';
}

/**
 * Measures how far a truck drove in a window. It sums straight lines between positions, which are a
 * little shorter than the roads.
 * @param positions oldest first. They may begin before the window and end after it
 */
export function measureDrive(
  positions: readonly DrivePosition[],
  { fromMs, untilMs }: DriveWindow,
): MeasuredDrive {
  const { knots, isTrusted } = buildKnots(positions, untilMs);
  const lengthMs = untilMs - fromMs;
  if (knots.length < 2 || lengthMs <= 0) return { miles: null, coverage: 0 };
  let [coveredMs, longestGapMs, seenUntilMs] = [0, 0, fromMs];
  for (const [index, knot] of knots.entries()) {
    const previous = knots[index - 1];
    if (!previous) longestGapMs = Math.max(longestGapMs, Math.min(knot.atMs, untilMs) - fromMs);
    const clippedMs = Math.min(knot.atMs, untilMs) - Math.max(previous?.atMs ?? knot.atMs, fromMs);
    const isCovered = knot.before === 'parked' ? clippedMs <= MAX_SILENT_MS : knot.before === 'seen';
    if (clippedMs > 0 && isCovered) coveredMs += clippedMs;
    else longestGapMs = Math.max(longestGapMs, clippedMs);
    seenUntilMs = Math.max(seenUntilMs, Math.min(knot.atMs, untilMs));
  }
  longestGapMs = Math.max(longestGapMs, untilMs - seenUntilMs);
  const coverage = Math.floor((coveredMs / lengthMs) * 100) / 100;
  const isKnown = isTrusted && longestGapMs <= MAX_GAP_MS && coverage >= MIN_COVERAGE;
  if (!isKnown) return { miles: null, coverage };
  const miles = readMiles(knots, untilMs) - readMiles(knots, fromMs);
  return { miles: Math.round(miles * 10) / 10, coverage };
}

/** True if positions show that the truck stood at some moment within three minutes of `atMs`. */
export function hasStoodNear(positions: readonly DrivePosition[], atMs: number): boolean {
  const near = { fromMs: atMs - NEAR_MS, untilMs: atMs + NEAR_MS };
  const { knots } = buildKnots(positions, near.untilMs);
  return knots.some((knot, index) => {
    const previous = knots[index - 1];
    if (!previous || knot.atMs < near.fromMs || previous.atMs > near.untilMs) return false;
    if (knot.before === 'seen') return knot.miles === previous.miles;
    // In the middle of a long silence, the truck may have been away.
    const isNearEnd = knot.atMs <= near.untilMs || previous.atMs + MAX_SILENT_MS >= near.fromMs;
    return knot.before === 'parked' && isNearEnd;
  });
}

export function buildKnots(
  positions: readonly DrivePosition[],
  untilMs: number,
): { knots: Knot[]; isTrusted: boolean } {
  const [first, ...rest] = positions;
  if (!first) return { knots: [], isTrusted: false };
  const knots: Knot[] = [{ atMs: first.atMs, miles: 0, before: 'unknown' }];
  // The place from which the next move is measured, and the last position there.
  let [place, last]: [Coordinates, DrivePosition] = [first, first];
  let driven = 0;
  let wrong = 0;
  for (const position of rest) {
    const gapMs = position.atMs - last.atMs;
    if (gapMs <= 0) continue;
    const miles = measureMiles(place, position);
    const hasMoved = miles >= MIN_MOVE_MILES;
    if (hasMoved && miles / (gapMs / HOUR_MS) > MAX_MPH) {
      wrong += 1;
      continue;
    }
    const isSeen = gapMs <= TRUSTED_GAP_MS;
    const wasParked = !isSeen && isStanding(last.speedMph) && miles <= MAX_LEAVING_MILES;
    // The truck stood until shortly before it was seen again.
    if (wasParked) knots.push({ atMs: position.atMs - MINUTE_MS, miles: driven, before: 'parked' });
    if (hasMoved) {
      driven += miles;
      place = position;
    }
    knots.push({ atMs: position.atMs, miles: driven, before: isSeen || wasParked ? 'seen' : 'unknown' });
    last = position;
  }
  const silentMs = untilMs - last.atMs;
  if (isStanding(last.speedMph) && silentMs > 0 && silentMs <= MAX_SILENT_MS)
    knots.push({ atMs: untilMs, miles: driven, before: 'parked' });
  return { knots, isTrusted: wrong <= Math.max(MAX_WRONG, positions.length * MAX_WRONG_SHARE) };
}

/** Returns the driven miles at a time. Between two knots, the truck drives evenly. */
export function readMiles(knots: readonly Knot[], atMs: number): number {
  const next = knots.findIndex((knot) => knot.atMs >= atMs);
  if (next === -1) return (knots.at(-1) as Knot).miles;
  const [before, after] = [knots[next - 1], knots[next] as Knot];
  if (!before) return after.miles;
  const share = (atMs - before.atMs) / (after.atMs - before.atMs);
  return before.miles + share * (after.miles - before.miles);
}
