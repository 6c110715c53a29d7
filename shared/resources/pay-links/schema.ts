import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { payLinkFields } from './fields.js';
import { payLinkStatus } from './vocabulary.js';

export { payLinkStatus };

export const payLink = payLinkFields.response.meta({ className: 'PayLink' });

export const payLinkCreate = Joi.object(payLinkFields.creation).meta({ className: 'PayLinkCreate' });

export const payLinkListQuery = Joi.object({
  invoice_id: uuid(),
  status: payLinkStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'PayLinkListQuery' });
