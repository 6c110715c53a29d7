import type { OpenConnection } from '../contract/connection.js';
import type { ListedVehicle, ListPage } from '../contract/telematics.js';
import { readId, readLine, type Unread } from '../contract/values/read-values.js';
import { readYear } from '../contract/values/vehicle-values.js';
import { readListPage } from './api/list-page.js';

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

export function listVehicles(
  connection: OpenConnection,
  next: string | null,
): Promise<ListPage<ListedVehicle>> {
  return readListPage(connection, { path: '/fleet/vehicles', next, toRecord: toVehicle });
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
