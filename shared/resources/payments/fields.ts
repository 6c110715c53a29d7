import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { paymentMethod } from '../../contracts/enums.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { cents, dateTime, integer, text, uuid } from '../../contracts/schemas/fields.js';
import { asPaymentTime } from '../../contracts/schemas/payment-time.js';
import { externalIdsColumn } from '../../records/expansions/external-ids.js';
import { type Field, optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

export const paymentStatus = namedEnum('PaymentStatus', ['processing', 'succeeded', 'failed'], {
  processing:
    'The customer has paid by bank debit, and the money has not arrived yet. It does not count as paid',
  succeeded: 'The money has arrived and counts as paid',
  failed: 'The bank debit has failed; `failure_reason` says why',
});

export const refundStatus = namedEnum('RefundStatus', ['pending', 'succeeded', 'failed'], {
  pending: 'The vendor has not paid it out yet',
  succeeded: 'The vendor has paid it out, or a person recorded it',
  failed: 'It could not be paid out; the amount counts as paid again, and `failure_reason` says why',
});

const invoiceNumber: Field = { columns: null, csv: 'text' };
const customerName: Field = { columns: null, csv: 'text' };

const amount = (example: number): Field => ({
  input: integer(1, MAX_INVOICE_TOTAL_CENTS).example(example),
  isRequired: true,
  output: cents(),
  columns: 'bigint',
});

export const paymentFields = defineFields({
  id: recordId(),
  invoice_id: { output: uuid() },
  amount_cents: amount(12_500),
  method: { input: paymentMethod, isRequired: true, columns: 'text' },
  received_at: {
    input: asPaymentTime(dateTime(), 'When the money came in, now by default'),
    output: dateTime(),
    columns: 'timestamptz',
  },
  reference: optionalText(200, { input: text(200).allow(null).example('Check 1042') }),
  refunded_cents: { output: cents().example(0) },
  credit_cents: {
    output: cents().example(0).description('The part that exceeds the invoice: credit of the customer'),
    sql: (alias) =>
      `case when ${alias}.status = 'succeeded' then ${alias}.amount_cents - ${alias}.refunded_cents - ${alias}.applied_cents else 0 end`,
    columns: null,
  },
  created_at: time(),
  updated_at: time(),
  invoice_number: invoiceNumber,
  customer_name: customerName,
  status: { output: paymentStatus, csv: 'plain' },
  provider: {
    output: Joi.string()
      .allow(null)
      .example('stripe')
      .description('The vendor that took the payment; null: a person recorded it'),
  },
  provider_payment_id: {
    output: Joi.string().allow(null).example('pi_3Q').description("The vendor's id of the payment"),
  },
  fee_cents: {
    output: cents()
      .allow(null)
      .example(393)
      .description("The vendor's fee; null while the vendor has not stated it"),
  },
  failure_reason: { output: Joi.string().allow(null) },
  external_ids: externalIdsColumn('payment'),
});

/** The fields of a refund. The invoice of a refund is the invoice of its payment. */
export const refundFields = defineFields({
  id: recordId(),
  payment_id: { output: uuid() },
  invoice_id: {
    output: uuid(),
    sql: (alias) =>
      `(select p.invoice_id from payments p where p.tenant_id = ${alias}.tenant_id and p.id = ${alias}.payment_id)`,
    columns: null,
  },
  amount_cents: amount(2_500),
  reason: {
    input: text(500).example('Storage was waived'),
    isRequired: true,
    columns: 'text',
    freeText: true,
  },
  created_at: time(),
  invoice_number: invoiceNumber,
  customer_name: customerName,
  status: { output: refundStatus, csv: 'plain' },
  failure_reason: { output: Joi.string().allow(null) },
});
