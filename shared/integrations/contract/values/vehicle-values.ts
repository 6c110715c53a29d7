/** No truck reports a greater speed, and the API accepts none. */
const MAX_MPH = 300;
const MAX_MILES = 9_999_999;
const METERS_PER_MILE = 1609.344;

/**
 * Returns a place, or null if there is none. A receiver without a fix reports 0, 0, or impossible
 * numbers.
 */
export function readPlace(lat: unknown, lng: unknown): { lat: number; lng: number } | null {
  if (!isWithin(lat, 90) || !isWithin(lng, 180) || (lat === 0 && lng === 0)) return null;
  return { lat, lng };
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

/** Returns degrees clockwise from north, from 0 to below 360. */
export function readHeading(degrees: unknown): number | null {
  return typeof degrees === 'number' && Number.isFinite(degrees) ? ((degrees % 360) + 360) % 360 : null;
}

export function readMph(mph: unknown): number | null {
  return typeof mph === 'number' && mph >= 0 && mph <= MAX_MPH ? mph : null;
}

/** Returns meters as miles, or null if the value is no number. */
export function convertMeters(meters: unknown): number | null {
  return typeof meters === 'number' ? meters / METERS_PER_MILE : null;
}

/** Returns whole miles of an odometer. */
export function readMiles(miles: unknown): number | null {
  if (typeof miles !== 'number' || !(miles >= 0)) return null;
  const whole = Math.round(miles);
  return whole <= MAX_MILES ? whole : null;
}

/**
 * Returns the miles of an odometer with two decimals. Zero is what devices send that cannot read
 * the odometer.
 */
export function readOdometer(miles: unknown): number | null {
  if (typeof miles !== 'number' || !(miles > 0 && miles <= MAX_MILES)) return null;
  return Math.round(miles * 100) / 100;
}

/** Returns the model year of a vehicle, which vendors send as a text or a number. */
export function readYear(value: unknown): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const year = Number(value);
  return Number.isInteger(year) && year >= 1900 && year <= 2200 ? year : null;
}
