import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { cents, dateTime, integer, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { terminalPaymentStatus } from './vocabulary.js';

export const terminalPaymentFields = defineFields({
  id: recordId(),
  invoice_id: { output: uuid() },
  reader_id: {
    input: uuid().description('One of GET /terminal-readers'),
    isRequired: true,
    columns: 'uuid',
  },
  connection_id: {
    output: uuid().allow(null).description('null in a sandbox that pretends the payment'),
  },
  amount_cents: {
    input: integer(1, MAX_INVOICE_TOTAL_CENTS)
      .example(10_000)
      .description('Default: the balance. Less only if the connection allows partial payments'),
    output: cents(),
    columns: 'bigint',
  },
  status: { output: terminalPaymentStatus },
  failure_reason: {
    output: Joi.string().allow(null).description('Why the payment failed or was cancelled, in a sentence'),
  },
  payment_id: { output: uuid().allow(null).description('The payment, once the vendor has reported it') },
  pretend_url: {
    output: Joi.string()
      .allow(null)
      .description('In a sandbox that pretends the payment: the page where a person presents the card'),
  },
  expires_at: time(dateTime().description('Until then, the reader waits for a card')),
  cancel_requested_at: time(dateTime().allow(null).description('When a person cancelled the payment')),
  created_at: time(),
  updated_at: time(),
});
