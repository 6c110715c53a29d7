import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { workOrderPhotoFields } from './fields.js';

export const workOrderPhoto = workOrderPhotoFields.response.meta({ className: 'WorkOrderPhoto' });

/** The query parameters for listing one work order's photos. The path names the work order. */
export const workOrderPhotosQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WorkOrderPhotosQuery' });

export const workOrderPhotoListQuery = Joi.object({
  work_order_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WorkOrderPhotoListQuery' });
