import Joi from 'joi';
import { dutyClass, truckStatus } from '../../contracts/enums.js';
import { cursor, dateOrDateTime, limit, text } from '../../contracts/schemas/fields.js';
import { truckFields } from './fields.js';
import { truckPositionFields } from './position-fields.js';

export const truckCreate = Joi.object(truckFields.creation).meta({ className: 'TruckCreate' });

export const truckPatch = Joi.object(truckFields.change).meta({ className: 'TruckPatch' });

export const truck = truckFields.response.meta({ className: 'Truck' });

export const truckListQuery = Joi.object({
  status: truckStatus,
  duty_class: dutyClass,
  search: text(100).description('Part of unit_number'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'TruckListQuery' });

export const truckPosition = truckPositionFields.response.meta({ className: 'TruckPosition' });

export const truckPositionListQuery = Joi.object({
  since: dateOrDateTime().description('Inclusive; by the start of the interval of each position'),
  until: dateOrDateTime().description('Exclusive; by the start of the interval of each position'),
  limit: limit(1000),
  cursor: cursor(),
}).meta({ className: 'TruckPositionListQuery' });
