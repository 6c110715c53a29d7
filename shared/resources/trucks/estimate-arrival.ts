import { STALE_AFTER_MINUTES } from './fields.js';
import { type Coordinates, measureMiles } from './great-circle.js';
import { MAX_AHEAD_MS } from './positions.js';

/** The drive of a truck to a place of its work order. */
export interface Drive {
  truck: Coordinates;
  place: Coordinates;
  /** The time of the truck's position, in ms since 1970. */
  locatedMs: number;
  /** The speed at that time, if it was reported. */
  speedMph: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Roads are longer than the straight line. */
const ROAD_FACTOR = 1.3;
/** The speed of a truck in town and on highways, with its stops. */
const AVERAGE_MPH = 30;
/** A slower truck counts as standing: at a light, or before it leaves. */
export const SLOW_MPH = 5;
/** One reported speed says little about the whole way, so it counts only within these bounds. */
const SPEED_BOUNDS_MPH = [10, 60] as const;
/** A longer drive is no drive to a motorist: one of the places is wrong. */
const MAX_HOURS = 6;
/** From this time on, the estimate is rounded to five minutes. Below, it is rounded to one. */
const COARSE_FROM_MS = 10 * MINUTE_MS;

/**
 * Estimates when a truck arrives, from distance and speed alone. It knows no roads and no traffic,
 * so show it as an estimate (docs/decisions.md §11). The time is rounded up, and at least a minute
 * ahead. Returns null if the position is stale, or if the drive would take more than six hours.
 */
export function estimateArrival({ truck, place, locatedMs, speedMph }: Drive, nowMs: number): Date | null {
  if (!isPositionFresh(locatedMs, nowMs)) return null;
  const isMoving = speedMph !== null && speedMph >= SLOW_MPH;
  const hours = (measureMiles(truck, place) * ROAD_FACTOR) / (isMoving ? blendSpeed(speedMph) : AVERAGE_MPH);
  if (!(hours <= MAX_HOURS)) return null;
  // A moving truck has come nearer since it reported its position, a standing truck has not.
  const startMs = isMoving ? Math.min(locatedMs, nowMs) : nowMs;
  const arrivalMs = Math.max(startMs + hours * HOUR_MS, nowMs + MINUTE_MS);
  const unitMs = arrivalMs - nowMs < COARSE_FROM_MS ? MINUTE_MS : 5 * MINUTE_MS;
  return new Date(Math.ceil(arrivalMs / unitMs) * unitMs);
}

/** True if a position of this time shows where the truck is now. */
export function isPositionFresh(locatedMs: number, nowMs: number): boolean {
  const ageMs = nowMs - locatedMs;
  return ageMs <= STALE_AFTER_MINUTES * MINUTE_MS && ageMs >= -MAX_AHEAD_MS;
}

/** Returns the mean of the average and the reported speed, so that one stop changes little. */
function blendSpeed(speedMph: number): number {
  const [slowest, fastest] = SPEED_BOUNDS_MPH;
  return (Math.min(fastest, Math.max(slowest, speedMph)) + AVERAGE_MPH) / 2;
}
