import type { OpenConnection } from '../contract/connection.js';
import type { ListedVehicle, VehiclePage } from '../contract/telematics.js';
import { readId, readLine, type Unread } from '../contract/values/read-values.js';
import { readYear } from '../contract/values/vehicle-values.js';
import { VendorError } from '../contract/vendor-error.js';
import { readPageAfter } from './api/client.js';

/** The largest page that Samsara returns. */
const PAGE_SIZE = '512';
/** Upper limits of the gross weight of a light and of a medium vehicle, in pounds. */
const LIGHT_POUNDS = 14_000;
const MEDIUM_POUNDS = 26_000;

interface SamsaraVehicle {
  id: string;
  name?: string;
  vin?: string;
  licensePlate?: string;
  make?: string;
  model?: string;
  year?: string;
  vehicleWeightInPounds?: number;
}

export async function listVehicles(connection: OpenConnection, next: string | null): Promise<VehiclePage> {
  const query = { limit: PAGE_SIZE };
  const page = await readPageAfter<SamsaraVehicle>(connection, '/fleet/vehicles', { query, after: next });
  // Vehicles that a complete list lacks count as removed, so this list is not complete.
  if (page.hasStopped)
    throw new VendorError('Samsara named the same page again.', { kind: 'again', code: 'same_page' });
  // A page may be empty although another page follows.
  return { vehicles: page.data.flatMap(toVehicle), next: page.isLast ? null : page.cursor };
}

/** Returns no vehicle without a usable id. */
function toVehicle(vehicle: Unread<SamsaraVehicle>): ListedVehicle[] {
  const externalId = readId(vehicle.id);
  if (externalId === undefined) return [];
  const { name, vin, licensePlate, make, model, year, vehicleWeightInPounds: pounds } = vehicle;
  return [
    {
      externalId,
      name: readLine(name, 200),
      vin: readLine(vin, 32),
      plate: readLine(licensePlate, 20),
      make: readLine(make, 100),
      model: readLine(model, 100),
      year: readYear(year),
      dutyClass: toDutyClass(pounds),
    },
  ];
}

function toDutyClass(pounds: unknown): ListedVehicle['dutyClass'] {
  if (typeof pounds !== 'number' || pounds <= 0) return null;
  if (pounds <= LIGHT_POUNDS) return 'light';
  return pounds <= MEDIUM_POUNDS ? 'medium' : 'heavy';
}
