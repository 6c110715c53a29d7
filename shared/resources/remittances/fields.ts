import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { cents, integer, text } from '../../contracts/schemas/fields.js';
import { asPaymentTime } from '../../contracts/schemas/payment-time.js';
import { type Field, optionalReference, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { customerTable } from '../customers/table.js';
import { date } from '../rate-cards/fields.js';
import { remittanceStatus } from './enums.js';

const count = (description: string): Field => ({
  output: Joi.number().integer().min(0).example(0).description(description),
});

export const remittanceFields = defineFields({
  id: recordId(),
  payer: {
    input: text(200).example('Interstate Motor Club').description('Who pays, as the list names it'),
    setBy: 'create',
    isRequired: true,
    output: Joi.string().example('Interstate Motor Club'),
    columns: 'text',
  },
  reference: {
    input: text(200)
      .example('EFT 5521')
      .description('The number of the check or transfer. It becomes the reference of each payment'),
    setBy: 'create',
    isRequired: true,
    output: Joi.string().example('EFT 5521'),
    columns: 'text',
  },
  paid_on: {
    input: asPaymentTime(
      date(),
      "The payments count as received at the start of this day, in the account's time zone",
    ),
    setBy: 'create',
    isRequired: true,
    output: date(),
    columns: 'date',
  },
  total_cents: {
    input: integer(0, MAX_INVOICE_TOTAL_CENTS).example(12_500).description('What arrived in the bank'),
    setBy: 'create',
    isRequired: true,
    output: cents(),
    columns: 'bigint',
  },
  customer_id: optionalReference(customerTable, { setBy: 'create' }),
  status: { output: remittanceStatus },
  lines_cents: { output: cents().description('The sum of its lines') },
  difference_cents: {
    output: cents().example(0).description('total_cents less lines_cents; 0 if the list is complete'),
    sql: (alias) => `${alias}.total_cents - ${alias}.lines_cents`,
    columns: null,
  },
  applied_cents: { output: cents().example(0).description('The sum of its applied lines') },
  line_count: count('How many lines it has'),
  ready_count: count('How many of its open lines match, also if the club pays too little'),
  open_count: count('How many of its lines are open'),
  applied_count: count('How many of its lines are applied'),
  ignored_count: count('How many of its lines are ignored'),
  created_at: time(),
  updated_at: time(),
});
