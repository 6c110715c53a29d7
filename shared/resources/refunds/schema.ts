import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { refundFields, refundStatus } from '../payments/fields.js';

export { refundStatus };

export const refund = refundFields.response.meta({ className: 'Refund' });

export const refundListQuery = Joi.object({
  payment_id: uuid(),
  status: refundStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RefundListQuery' });
