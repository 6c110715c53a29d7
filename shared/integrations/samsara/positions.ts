import type { OpenConnection } from '../contract/connection.js';
import type {
  OdometerSource,
  PositionPage,
  VehicleOdometer,
  VehiclePosition,
} from '../contract/telematics.js';
import { isObject, readId, readTime, type Unread } from '../contract/values/read-values.js';
import {
  convertMeters,
  readHeading,
  readMph,
  readOdometer,
  readPlace,
} from '../contract/values/vehicle-values.js';
import { readPageAfter } from './api/client.js';

interface GpsSample {
  time: string;
  latitude: number;
  longitude: number;
  headingDegrees?: number;
  speedMilesPerHour?: number;
}

interface OdometerSample {
  time: string;
  value: number;
}

interface VehicleStats {
  id: string;
  gps?: GpsSample[];
  obdOdometerMeters?: OdometerSample[];
  gpsOdometerMeters?: OdometerSample[];
}

/** Samsara allows three types in a request. */
const TYPES = ['gps', 'obdOdometerMeters', 'gpsOdometerMeters'] as const;

/**
 * Reads the positions since the cursor. The first read returns the latest position of each vehicle.
 * A cursor dies after 30 days. The feed then begins anew. A page may be empty although another page
 * follows.
 */
export async function pullPositions(connection: OpenConnection, after: string | null): Promise<PositionPage> {
  const query = { types: TYPES.join(',') };
  const path = '/fleet/vehicles/stats/feed';
  const { data, cursor, isLast } = await readPageAfter<VehicleStats>(connection, path, { query, after });
  return { positions: data.flatMap(listPositions), odometers: data.flatMap(listOdometers), cursor, isLast };
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

function listOdometers({
  id,
  obdOdometerMeters,
  gpsOdometerMeters,
}: Unread<VehicleStats>): VehicleOdometer[] {
  const externalId = readId(id);
  if (externalId === undefined) return [];
  const read = (source: OdometerSource, samples: unknown): VehicleOdometer[] =>
    (Array.isArray(samples) ? samples : []).filter(isObject).flatMap((sample: Unread<OdometerSample>) => {
      const { time, value } = sample;
      const [at, miles] = [readTime(time), readOdometer(convertMeters(value))];
      return at === null || miles === null ? [] : [{ externalId, miles, source, at }];
    });
  return [...read('obd', obdOdometerMeters), ...read('gps', gpsOdometerMeters)];
}
