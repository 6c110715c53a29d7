import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { autopayAttemptStatus } from './enums.js';
import { autopayAttemptFields } from './fields.js';

export { autopayAttemptStatus };

export const autopayAttempt = autopayAttemptFields.response.meta({ className: 'AutopayAttempt' });

export const autopayAttemptListQuery = Joi.object({
  invoice_id: uuid(),
  payment_method_id: uuid(),
  status: autopayAttemptStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'AutopayAttemptListQuery' });
