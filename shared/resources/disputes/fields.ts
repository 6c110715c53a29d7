import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { cents, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

export const disputeStatus = namedEnum('DisputeStatus', ['open', 'won', 'lost'], {
  open: "The customer's bank has not decided. The invoice is disputed",
  won: 'The payment stands',
  lost: 'The bank took the payment back. The invoice is open again',
});

export const disputeFields = defineFields({
  id: recordId(),
  payment_id: { output: uuid() },
  invoice_id: { output: uuid() },
  connection_id: { output: uuid() },
  provider_dispute_id: {
    output: Joi.string().example('dp_1Q').description("The vendor's id of the dispute"),
  },
  amount_cents: { output: cents().example(12_500) },
  reason: {
    output: Joi.string().example('fraudulent').description("The bank's reason, as the vendor names it"),
  },
  status: { output: disputeStatus },
  respond_by: time(
    dateTime().allow(null).description('Until when evidence can be sent; null if none is asked for'),
  ),
  evidence_sent_at: time(dateTime().allow(null)),
  created_at: time(),
  updated_at: time(),
});
