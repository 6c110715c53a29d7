import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { VehicleLink } from '../../contracts/generated.js';
import { vehicleLink, vehicleUnlink } from './schema.js';

/** The input that the API takes from the path: the id of the connection. */
export interface NamedConnection {
  connection_id: string;
}

/** Links a vendor's vehicle to a truck, so that the truck gets its positions and inspections. */
export const linkVehicle = defineCommand<VehicleLink & NamedConnection>({
  type: 'connection_vehicle.link',
  action: 'connection_vehicle.linked',
  permission: 'admin',
  schema: vehicleLink as unknown as Joi.ObjectSchema<VehicleLink & NamedConnection>,
  conflictKeys: ({ connection_id }) => [`vehicles_of:${connection_id}`],
});

/** Ends the link of a vendor's vehicle. The truck keeps its last position. */
export const unlinkVehicle = defineCommand<NamedConnection>({
  type: 'connection_vehicle.unlink',
  action: 'connection_vehicle.unlinked',
  permission: 'admin',
  schema: vehicleUnlink as unknown as Joi.ObjectSchema<NamedConnection>,
  conflictKeys: ({ connection_id }) => [`vehicles_of:${connection_id}`],
});
