import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { savedMethodStatus } from './enums.js';
import { savedMethodFields } from './fields.js';

export { savedMethodStatus, savedMethodType } from './enums.js';

export const savedMethod = savedMethodFields.response.meta({ className: 'SavedMethod' });

export const savedMethodCreate = Joi.object({}).meta({ className: 'SavedMethodCreate' });

export const customerMethodsQuery = Joi.object({
  status: savedMethodStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'CustomerMethodsQuery' });

export const savedMethodListQuery = Joi.object({
  customer_id: uuid(),
  status: savedMethodStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'SavedMethodListQuery' });
