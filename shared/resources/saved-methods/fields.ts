import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { savedMethodStatus, savedMethodType } from './enums.js';

/**
 * Returns SQL for the status. A page that was never used expires without a report by the vendor.
 */
export const buildStatusSql = (alias: string) =>
  `case when ${alias}.status = 'open' and ${alias}.expires_at <= now() then 'expired' else ${alias}.status end`;

const page = (text: string) => Joi.string().allow(null).example(null, { override: true }).description(text);

export const savedMethodFields = defineFields({
  id: recordId(),
  customer_id: { output: uuid() },
  connection_id: {
    output: uuid().allow(null).description('null in a sandbox that pretends the payment method'),
  },
  status: {
    output: savedMethodStatus,
    sql: buildStatusSql,
  },
  type: { output: savedMethodType, sql: (alias) => `coalesce(${alias}.type, 'unknown')` },
  brand: { output: Joi.string().allow(null).example('visa').description('The card brand or the bank') },
  last4: { output: Joi.string().allow(null).example('4242') },
  exp_month: { output: Joi.number().integer().allow(null).example(12) },
  exp_year: { output: Joi.number().integer().allow(null).example(2030) },
  url: {
    output: Joi.string()
      .allow(null)
      .example('https://checkout.stripe.com/c/setup/cs_test_a1')
      .description("The vendor's page where the customer enters a card or a bank account"),
  },
  expires_at: time(dateTime().allow(null)),
  verification_url: { output: page('Where the customer confirms the deposits') },
  error: { output: page('Why it failed') },
  created_at: time(),
  updated_at: time(),
});
