import type { VehicleLink } from '../../contracts/generated.js';
import { defineLinkCommands } from '../fleet-links/link-commands.js';
import { vehicleLink, vehicleUnlink } from './schema.js';

/**
 * Links a vendor's vehicle to a truck, so that the truck gets its positions and inspections. After
 * the end of the link, the truck keeps its last position.
 */
export const { link: linkVehicle, unlink: unlinkVehicle } = defineLinkCommands<VehicleLink>(
  'connection_vehicle',
  { link: vehicleLink, unlink: vehicleUnlink },
);
