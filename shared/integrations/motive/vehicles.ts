import type { OpenConnection } from '../contract/connection.js';
import type { ListedVehicle, ListPage } from '../contract/telematics.js';
import { readId, readLine, type Unread } from '../contract/values/read-values.js';
import { readYear } from '../contract/values/vehicle-values.js';
import { readListPage } from './api/list-page.js';

interface MotiveVehicle {
  id: number;
  number: string;
  status: string;
  vin?: string | null;
  license_plate_number?: string | null;
  make?: string | null;
  model?: string | null;
  year?: string | null;
}

export function listVehicles(
  connection: OpenConnection,
  next: string | null,
): Promise<ListPage<ListedVehicle>> {
  const list = { path: '/v1/vehicles', list: 'vehicles', item: 'vehicle' };
  return readListPage(connection, { list, next, toRecord: toVehicle });
}

/** Returns no vehicle without a usable id, and none that the company no longer uses. */
function toVehicle(vehicle: Unread<MotiveVehicle>): ListedVehicle[] {
  const externalId = readId(vehicle.id);
  const { number, status, vin, license_plate_number, make, model, year } = vehicle;
  if (externalId === undefined || status === 'deactivated') return [];
  return [
    {
      externalId,
      name: readLine(number, 200),
      vin: readLine(vin, 32),
      plate: readLine(license_plate_number, 20),
      make: readLine(make, 100),
      model: readLine(model, 100),
      year: readYear(year),
      // Motive names no weight.
      dutyClass: null,
    },
  ];
}
