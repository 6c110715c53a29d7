import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { remittanceLineOutcome, remittanceLineStatus } from './enums.js';
import { remittanceLineFields } from './fields.js';

export { remittanceLineOutcome, remittanceLineStatus };

export const remittanceLineInput = Joi.object(remittanceLineFields.creation).meta({
  className: 'RemittanceLineInput',
});

export const remittanceLine = remittanceLineFields.response.meta({ className: 'RemittanceLine' });

export const remittanceLinePatch = Joi.object(remittanceLineFields.change).meta({
  className: 'RemittanceLinePatch',
});

export const remittanceLineListQuery = Joi.object({
  remittance_id: uuid(),
  status: remittanceLineStatus,
  outcome: remittanceLineOutcome,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RemittanceLineListQuery' });
