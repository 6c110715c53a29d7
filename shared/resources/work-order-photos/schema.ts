import Joi from 'joi';
import { cursor, limit } from '../../contracts/schemas/fields.js';
import { workOrderPhotoFields } from './fields.js';

export const workOrderPhoto = workOrderPhotoFields.response.meta({ className: 'WorkOrderPhoto' });

export const workOrderPhotoListQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WorkOrderPhotoListQuery' });
