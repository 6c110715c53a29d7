import Joi from 'joi';
import { driverStatus } from '../../contracts/enums.js';
import { cursor, limit, text } from '../../contracts/schemas/fields.js';
import { driverFields } from './fields.js';

export const driverCreate = Joi.object(driverFields.creation).meta({ className: 'DriverCreate' });

export const driverPatch = Joi.object(driverFields.change).meta({ className: 'DriverPatch' });

export const driver = driverFields.response.meta({ className: 'Driver' });

export const driverListQuery = Joi.object({
  status: driverStatus,
  search: text(100).description('Part of name'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'DriverListQuery' });
