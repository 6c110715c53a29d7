import { measureMiles } from '../../../shared/resources/trucks/great-circle.js';
import type { TruckPosition } from '../../../shared/resources/work-order-links/tracking-queries.js';

/** The parts of the page that show a truck's position: a sentence, and a point in the plan. */
export interface ShownPosition {
  text: string;
  /** Coordinates in the plan, whose centre is the motorist's vehicle. Null for a stale position. */
  plan: PlanPoint | null;
}

export interface PlanPoint {
  x: number;
  y: number;
}

/** Width and height of the plan, in its own units. */
export const PLAN_SIZE = 160;

/** The plan shows all trucks beyond this distance on its outer circle. */
const MAX_MILES = 30;
/** Least distance in the plan, so that a near truck appears beside the vehicle and not on it. */
const MIN_RADIUS = 16;
/** Radius of the plan's outer circle. */
export const MAX_RADIUS = 52;

/**
 * Below this distance, the text names no distance or direction, because positions are not that
 * exact.
 */
const NEAR_MILES = 0.2;

const DIRECTIONS = [
  'north',
  'north-east',
  'east',
  'south-east',
  'south',
  'south-west',
  'west',
  'north-west',
] as const;

export function describePosition(position: TruckPosition): ShownPosition {
  if (position.is_stale) return { text: describeAge(position.age_minutes), plan: null };
  const { miles, bearing } = measure(position);
  const direction = DIRECTIONS[Math.round(bearing / 45) % DIRECTIONS.length];
  const distance = miles < 10 ? miles.toFixed(1) : String(Math.round(miles));
  return {
    text:
      miles < NEAR_MILES
        ? 'The truck is very near.'
        : `The truck is about ${distance} miles ${direction} of your vehicle, in a straight line.`,
    plan: placeInPlan(miles, bearing),
  };
}

function describeAge(minutes: number): string {
  const age = minutes < 60 ? `${minutes} minutes` : 'more than an hour';
  return `The truck has not reported its position for ${age}.`;
}

/** Measures the distance from the pickup to the truck, and the direction in degrees from north. */
function measure({ lat, lng, pickup_lat, pickup_lng }: TruckPosition): { miles: number; bearing: number } {
  const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
  const [from, to, deltaLng] = [toRadians(pickup_lat), toRadians(lat), toRadians(lng - pickup_lng)];
  const angle = Math.atan2(
    Math.sin(deltaLng) * Math.cos(to),
    Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(deltaLng),
  );
  return {
    miles: measureMiles({ lat: pickup_lat, lng: pickup_lng }, { lat, lng }),
    bearing: ((angle * 180) / Math.PI + 360) % 360,
  };
}

/**
 * Returns the truck's place in the plan. The scale is logarithmic, so that even the last mile is
 * visible.
 */
function placeInPlan(miles: number, bearing: number): PlanPoint {
  const share = Math.min(1, Math.log1p(miles) / Math.log1p(MAX_MILES));
  const radius = MIN_RADIUS + share * (MAX_RADIUS - MIN_RADIUS);
  const angle = (bearing * Math.PI) / 180;
  const round = (value: number) => Math.round(value * 10) / 10;
  return {
    x: round(PLAN_SIZE / 2 + radius * Math.sin(angle)),
    y: round(PLAN_SIZE / 2 - radius * Math.cos(angle)),
  };
}
