import type { OpenConnection } from '../contract/connection.js';
import type { PositionPage, VehiclePosition } from '../contract/telematics.js';
import { readPageAfter, type Unread } from './api/client.js';
import { isObject, readId, readTime } from './api/read-values.js';

interface GpsSample {
  time: string;
  latitude: number;
  longitude: number;
  headingDegrees?: number;
  speedMilesPerHour?: number;
}

interface VehicleStats {
  id: string;
  gps?: GpsSample[];
}

/** No truck reports a greater speed, and the API accepts none. */
const MAX_MPH = 300;

/**
 * Reads the positions since the cursor. The first read returns the latest position of each vehicle.
 * A cursor dies after 30 days. The feed then begins anew. A page may be empty although another page
 * follows.
 */
export async function pullPositions(connection: OpenConnection, after: string | null): Promise<PositionPage> {
  const query = { types: 'gps' };
  const path = '/fleet/vehicles/stats/feed';
  const { data, cursor, isLast } = await readPageAfter<VehicleStats>(connection, path, { query, after });
  return { positions: data.flatMap(listPositions), cursor, isLast };
}

function listPositions({ id, gps }: Unread<VehicleStats>): VehiclePosition[] {
  const externalId = readId(id);
  if (externalId === undefined || !Array.isArray(gps)) return [];
  return gps.filter(isObject).flatMap((sample) => toPosition(externalId, sample));
}

/** Returns no position if a receiver without a fix reports impossible numbers. */
function toPosition(externalId: string, sample: Unread<GpsSample>): VehiclePosition[] {
  const { latitude: lat, longitude: lng, headingDegrees, speedMilesPerHour } = sample;
  const at = readTime(sample.time);
  if (at === null || !isWithin(lat, 90) || !isWithin(lng, 180) || (lat === 0 && lng === 0)) return [];
  const heading = toHeading(headingDegrees);
  return [{ externalId, lat, lng, heading, speedMph: toSpeed(speedMilesPerHour), at }];
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

function toHeading(degrees: unknown): number | null {
  return typeof degrees === 'number' && Number.isFinite(degrees) ? ((degrees % 360) + 360) % 360 : null;
}

function toSpeed(mph: unknown): number | null {
  return typeof mph === 'number' && mph >= 0 && mph <= MAX_MPH ? mph : null;
}
