import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { cents, dateTime, integer, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { payLinkStatus } from './vocabulary.js';

export const payLinkFields = defineFields({
  id: recordId(),
  invoice_id: { output: uuid() },
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
  status: { output: payLinkStatus },
  url: {
    output: Joi.string()
      .allow(null)
      .example('https://checkout.stripe.com/c/pay/cs_test_a1')
      .description("The vendor's page where the customer pays; null while the status is opening"),
  },
  expires_at: time(dateTime().allow(null)),
  error: { output: Joi.string().allow(null) },
  created_at: time(),
  updated_at: time(),
});
