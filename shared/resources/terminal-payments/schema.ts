import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { terminalPaymentFields } from './fields.js';
import { terminalPaymentStatus } from './vocabulary.js';

export { terminalPaymentStatus };

export const terminalPayment = terminalPaymentFields.response.meta({ className: 'TerminalPayment' });

export const terminalPaymentCreate = Joi.object(terminalPaymentFields.creation).meta({
  className: 'TerminalPaymentCreate',
});

export const terminalPaymentCancel = Joi.object({}).meta({ className: 'TerminalPaymentCancel' });

export const terminalPaymentListQuery = Joi.object({
  invoice_id: uuid(),
  reader_id: uuid(),
  status: terminalPaymentStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'TerminalPaymentListQuery' });
