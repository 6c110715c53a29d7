import type { OpenConnection } from '../contract/connection.js';
import type { PositionPage, VehiclePosition } from '../contract/telematics.js';
import { VendorError } from '../contract/vendor-error.js';
import { readPage, type SamsaraPage } from './api/client.js';

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
 * A page may be empty although another page follows.
 */
export async function pullPositions(
  connection: OpenConnection,
  cursor: string | null,
): Promise<PositionPage> {
  const { data, pagination } = await readFeed(connection, cursor);
  return {
    positions: data.flatMap(({ id, gps }) => (gps ?? []).flatMap((sample) => toPosition(String(id), sample))),
    cursor: pagination.endCursor,
    isLast: !pagination.hasNextPage,
  };
}

async function readFeed(
  connection: OpenConnection,
  cursor: string | null,
): Promise<SamsaraPage<VehicleStats>> {
  const path = '/fleet/vehicles/stats/feed';
  const query = { types: 'gps' };
  if (cursor === null) return readPage(connection, path, query);
  try {
    return await readPage(connection, path, { ...query, after: cursor });
  } catch (error) {
    // A cursor dies after 30 days. The feed then begins anew.
    if (!(error instanceof VendorError) || error.code !== 'http_400') throw error;
    return readPage(connection, path, query);
  }
}

/** Returns no position if a receiver without a fix reports impossible numbers. */
function toPosition(externalId: string, sample: GpsSample): VehiclePosition[] {
  const { time, latitude: lat, longitude: lng, headingDegrees, speedMilesPerHour } = sample;
  const at = Date.parse(time);
  if (!isWithin(lat, 90) || !isWithin(lng, 180) || (lat === 0 && lng === 0) || Number.isNaN(at)) return [];
  return [
    {
      externalId,
      lat,
      lng,
      heading: Number.isFinite(headingDegrees) ? (((headingDegrees as number) % 360) + 360) % 360 : null,
      speedMph: toSpeed(speedMilesPerHour),
      at: new Date(at).toISOString(),
    },
  ];
}

function isWithin(value: unknown, limit: number): boolean {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

function toSpeed(mph: number | undefined): number | null {
  return typeof mph === 'number' && mph >= 0 && mph <= MAX_MPH ? mph : null;
}
