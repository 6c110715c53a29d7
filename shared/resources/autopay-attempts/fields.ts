import Joi from 'joi';
import { cents, dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { autopayAttemptStatus } from './enums.js';

const unlessFailed = (text: string) =>
  Joi.string().allow(null).example(null, { override: true }).description(text);

export const autopayAttemptFields = defineFields({
  id: recordId(),
  invoice_id: { output: uuid() },
  payment_method_id: { output: uuid() },
  attempt: { output: Joi.number().integer().example(1).description('Which attempt for its invoice, from 1') },
  amount_cents: { output: cents() },
  status: { output: autopayAttemptStatus },
  decline_code: { output: unlessFailed("The vendor's reason, such as insufficient_funds") },
  failure_reason: { output: unlessFailed("The vendor's reason as a sentence") },
  next_attempt_at: time(
    dateTime()
      .allow(null)
      .example(null, { override: true })
      .description('When the next attempt is due; null if there is none'),
  ),
  provider_payment_id: {
    output: Joi.string().allow(null).example('pi_3Q').description("The vendor's id of the payment"),
  },
  created_at: time(),
  updated_at: time(),
});
