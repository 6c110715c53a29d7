import type { OpenConnection } from '../contract/connection.js';
import type { PositionPage, VehiclePosition } from '../contract/telematics.js';
import { isObject, readId, readTime, type Unread } from '../contract/values/read-values.js';
import { readHeading, readMph, readPlace } from '../contract/values/vehicle-values.js';
import { readPageAfter } from './api/client.js';

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

function toPosition(externalId: string, sample: Unread<GpsSample>): VehiclePosition[] {
  const { latitude, longitude, headingDegrees, speedMilesPerHour } = sample;
  const [at, place] = [readTime(sample.time), readPlace(latitude, longitude)];
  if (at === null || place === null) return [];
  const heading = readHeading(headingDegrees);
  return [{ externalId, ...place, heading, speedMph: readMph(speedMilesPerHour), at }];
}
