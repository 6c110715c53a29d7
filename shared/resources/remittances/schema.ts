import Joi from 'joi';
import { cursor, limit, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import { remittanceLineInput } from '../remittance-lines/schema.js';
import { remittanceStatus } from './enums.js';
import { remittanceFields } from './fields.js';
import { MAX_CSV_CHARS, MAX_REMITTANCE_LINES } from './limits.js';

export { remittanceStatus };

export const remittance = remittanceFields.response.meta({ className: 'Remittance' });

export const remittanceCreate = Joi.object({
  ...remittanceFields.creation,
  lines: Joi.array()
    .items(remittanceLineInput)
    .min(1)
    .max(MAX_REMITTANCE_LINES)
    .description('What the club pays, line by line. Either this or csv'),
  csv: multilineText(MAX_CSV_CHARS).description(
    `The club's list as CSV, at most ${MAX_REMITTANCE_LINES} lines. Its first line names the columns: amount, and po or invoice or both; note is optional. Usual spellings such as "PO #" and "Amount Paid" are understood, other columns are ignored. Amounts are in dollars`,
  ),
}).meta({ className: 'RemittanceCreate' });

export const remittanceApply = Joi.object({}).meta({ className: 'RemittanceApply' });

export const remittanceDelete = Joi.object({}).meta({ className: 'RemittanceDelete' });

export const remittanceListQuery = Joi.object({
  status: remittanceStatus,
  customer_id: uuid(),
  reference: text(200),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RemittanceListQuery' });
