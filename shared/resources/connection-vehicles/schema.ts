import Joi from 'joi';
import { dutyClass } from '../../contracts/enums.js';
import { cursor, limit, text, uuid } from '../../contracts/schemas/fields.js';
import { connectionVehicleFields } from './fields.js';

export const connectionVehicle = connectionVehicleFields.response.meta({ className: 'ConnectionVehicle' });

export const vehicleLink = Joi.object({
  truck_id: uuid().description('The truck that the vehicle is. Either this or create'),
  create: Joi.boolean()
    .strict()
    .valid(true)
    .description('Creates a truck with the data of the vehicle, and links it'),
  unit_number: text(32).description('With create: the unit number; default: the name of the vehicle'),
  duty_class: dutyClass.description('With create; default: by the weight of the vehicle, or light'),
}).meta({ className: 'VehicleLink' });

export const vehicleUnlink = Joi.object({}).meta({ className: 'VehicleUnlink' });

export const connectionVehicleListQuery = Joi.object({
  connection_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ConnectionVehicleListQuery' });

/** The query of a list whose path names the connection. */
export const vehiclesOfConnectionQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'VehiclesOfConnectionQuery',
});
