import Joi from 'joi';
import { cursor, limit, text, uuid } from '../../contracts/schemas/fields.js';
import { connectionDriverFields } from './fields.js';

export const connectionDriver = connectionDriverFields.response.meta({ className: 'ConnectionDriver' });

export const driverLink = Joi.object({
  driver_id: uuid().description('The driver here. Either this or create'),
  create: Joi.boolean()
    .strict()
    .valid(true)
    .description("Creates a driver with the vendor's name and phone number, and links it"),
  name: text(200).description("With create: the name; default: the vendor's name"),
}).meta({ className: 'DriverLink' });

export const driverUnlink = Joi.object({}).meta({ className: 'DriverUnlink' });

export const connectionDriverListQuery = Joi.object({
  connection_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ConnectionDriverListQuery' });

/** The query of a list whose path names the connection. */
export const driversOfConnectionQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'DriversOfConnectionQuery',
});
