import Joi from 'joi';
import { cursor, dateOrDateTime, limit } from '../../contracts/schemas/fields.js';
import { truckPositionFields } from './fields.js';

export const truckPosition = truckPositionFields.response.meta({ className: 'TruckPosition' });

export const truckPositionListQuery = Joi.object({
  since: dateOrDateTime().description('Inclusive; by the start of the interval of each position'),
  until: dateOrDateTime().description('Exclusive; by the start of the interval of each position'),
  limit: limit(1000),
  cursor: cursor(),
}).meta({ className: 'TruckPositionListQuery' });
