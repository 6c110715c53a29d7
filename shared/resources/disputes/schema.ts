import Joi from 'joi';
import { cursor, limit, multilineText, uuid } from '../../contracts/schemas/fields.js';
import { disputeFields, disputeStatus } from './fields.js';

export { disputeStatus };

export const dispute = disputeFields.response.meta({ className: 'Dispute' });

export const disputeEvidenceCreate = Joi.object({
  text: multilineText(5000)
    .example('The driver photographed the car at the gate, and the owner signed.')
    .description('What the account adds to the log of steps, the photos and the invoice'),
}).meta({ className: 'DisputeEvidenceCreate' });

export const disputeListQuery = Joi.object({
  invoice_id: uuid(),
  payment_id: uuid(),
  status: disputeStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'DisputeListQuery' });
