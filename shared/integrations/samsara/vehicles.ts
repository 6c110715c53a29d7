import type { OpenConnection } from '../contract/connection.js';
import type { ListedVehicle, VehiclePage } from '../contract/telematics.js';
import { readPage } from './api/client.js';

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
  const { data, pagination } = await readPage<SamsaraVehicle>(connection, '/fleet/vehicles', {
    limit: PAGE_SIZE,
    ...(next === null ? {} : { after: next }),
  });
  // A page may be empty although another page follows.
  return { vehicles: data.map(toVehicle), next: pagination.hasNextPage ? pagination.endCursor : null };
}

function toVehicle(vehicle: SamsaraVehicle): ListedVehicle {
  const { id, name, vin, licensePlate, make, model, year, vehicleWeightInPounds: pounds } = vehicle;
  return {
    externalId: String(id),
    name: shorten(name, 200),
    vin: shorten(vin, 32),
    plate: shorten(licensePlate, 20),
    make: shorten(make, 100),
    model: shorten(model, 100),
    year: toYear(year),
    dutyClass: toDutyClass(pounds),
  };
}

function shorten(text: unknown, maxChars: number): string | null {
  const trimmed = typeof text === 'string' ? text.trim().slice(0, maxChars) : '';
  return trimmed === '' ? null : trimmed;
}

function toYear(text: unknown): number | null {
  const year = Number(text);
  return Number.isInteger(year) && year >= 1900 && year <= 2200 ? year : null;
}

function toDutyClass(pounds: unknown): ListedVehicle['dutyClass'] {
  if (typeof pounds !== 'number' || pounds <= 0) return null;
  if (pounds <= LIGHT_POUNDS) return 'light';
  return pounds <= MEDIUM_POUNDS ? 'medium' : 'heavy';
}
