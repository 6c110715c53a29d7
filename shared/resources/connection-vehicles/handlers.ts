import type { CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { TruckCreate, VehicleLink } from '../../contracts/generated.js';
import { failedOutcome } from '../../records/outcomes.js';
import type { NamedConnection } from '../fleet-links/link-commands.js';
import { createLinkHandlers, type ListedRow } from '../fleet-links/link-handlers.js';
import { createTrucks } from '../trucks/handlers.js';
import { VEHICLES } from './vehicle-kind.js';

const MAX_UNIT_CHARS = 32;
const VIN = /^[A-HJ-NPR-Z0-9]{17}$/i;

interface VehicleRow extends ListedRow {
  name: string | null;
  vin: string | null;
  plate: string | null;
  make: string | null;
  model: string | null;
  year: number | null;
  duty_class: 'light' | 'medium' | 'heavy' | null;
}

type LinkInput = VehicleLink & NamedConnection;

/** Builds a truck with the data of the vehicle. */
function buildTruck(input: LinkInput, vehicle: VehicleRow): TruckCreate | CommandOutcome {
  const { plate, make, model, year } = vehicle;
  const { unit_number = vehicle.name?.slice(0, MAX_UNIT_CHARS).trim(), duty_class } = input;
  if (!unit_number) {
    const message = 'unit_number is required, because the vehicle has no name';
    return failedOutcome({
      code: 'validation_error',
      message: `${message}.`,
      details: [{ field: 'unit_number', code: 'required', message }],
    });
  }
  // A truck has a valid VIN or none, but a vendor may store anything.
  const vin = VIN.test(vehicle.vin ?? '') ? (vehicle.vin as string).toUpperCase() : null;
  return {
    unit_number,
    duty_class: duty_class ?? vehicle.duty_class ?? 'light',
    vin,
    plate,
    make,
    model,
    year,
  };
}

const { link, unlink } = createLinkHandlers<LinkInput, VehicleRow, TruckCreate>(VEHICLES, {
  build: buildTruck,
  create: createTrucks,
});

export const connectionVehicleHandlers: CommandHandlers = {
  'connection_vehicle.link': link,
  'connection_vehicle.unlink': unlink,
};
