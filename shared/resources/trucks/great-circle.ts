const EARTH_RADIUS_MILES = 3958.8;

/** A place on earth, in degrees. */
export interface Coordinates {
  lat: number;
  lng: number;
}

/**
 * Measures the distance between two places in a straight line over the ground, in miles. The
 * haversine formula also holds at the poles and across the date line.
 */
export function measureMiles(from: Coordinates, to: Coordinates): number {
  const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
  const [fromLat, toLat] = [toRadians(from.lat), toRadians(to.lat)];
  const haversine =
    Math.sin((toLat - fromLat) / 2) ** 2 +
    Math.cos(fromLat) * Math.cos(toLat) * Math.sin(toRadians(to.lng - from.lng) / 2) ** 2;
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}
