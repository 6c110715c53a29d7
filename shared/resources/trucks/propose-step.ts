import { type Drive, isPositionFresh, SLOW_MPH } from './estimate-arrival.js';
import { measureMiles } from './great-circle.js';

/** The driver's step on arrival at each place. */
const ARRIVAL_STEPS = { pickup: 'on_scene', dropoff: 'at_destination' } as const;

export type ProposedStep = (typeof ARRIVAL_STEPS)[keyof typeof ARRIVAL_STEPS];

/** A drive whose truck is known to have left for the place, or not. */
export interface TrackedDrive extends Drive {
  to: keyof typeof ARRIVAL_STEPS;
  /** True if the position is of this drive, and not of a truck that stood there before. */
  hasDeparted: boolean;
}

/**
 * The distance from which a truck counts as arrived. The coordinates of an address are some 200
 * feet off, the position of a truck 50, and a truck parks where there is room. Farther away, one
 * that waits at the next light would count too.
 */
const ARRIVED_FEET = 500;
const FEET_PER_MILE = 5280;

/**
 * Proposes the driver's step that the position of the truck shows (docs/decisions.md §11). Only
 * people log steps. A position without a speed proposes nothing, because the truck may pass by.
 */
export function proposeStep(drive: TrackedDrive, nowMs: number): ProposedStep | null {
  const { to, truck, place, locatedMs, speedMph, hasDeparted } = drive;
  const isSlow = speedMph !== null && speedMph < SLOW_MPH;
  if (!hasDeparted || !isSlow || !isPositionFresh(locatedMs, nowMs)) return null;
  return measureMiles(truck, place) * FEET_PER_MILE <= ARRIVED_FEET ? ARRIVAL_STEPS[to] : null;
}
