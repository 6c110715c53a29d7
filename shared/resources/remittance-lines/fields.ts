import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS } from '../../billing/money.js';
import { cents, integer, strictBoolean, text, uuid } from '../../contracts/schemas/fields.js';
import { optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { remittanceLineOutcome, remittanceLineStatus } from './enums.js';

const nullableId = () => uuid().allow(null);

export const remittanceLineFields = defineFields({
  id: recordId(),
  remittance_id: { output: uuid() },
  position: { output: Joi.number().integer().min(1).example(1).description('Its place in the list, from 1') },
  po_number: optionalText(64, {
    input: text(64).allow(null, '').example('PO-88213'),
    setBy: 'create',
    freeText: true,
  }),
  invoice_number: optionalText(64, {
    input: text(64).allow(null, '').example('INV-1001'),
    setBy: 'create',
    freeText: true,
  }),
  amount_cents: {
    input: integer(-MAX_INVOICE_TOTAL_CENTS, MAX_INVOICE_TOTAL_CENTS)
      .example(12_500)
      .description('What the club pays. Zero or less is kept with a reason, and never recorded'),
    setBy: 'create',
    isRequired: true,
    output: cents(),
    columns: 'bigint',
  },
  note: optionalText(500, {
    input: text(500).allow(null, '').example('Mileage cap'),
    setBy: 'create',
    freeText: true,
  }),
  status: { output: remittanceLineStatus },
  outcome: { output: remittanceLineOutcome },
  reason: {
    output: Joi.string()
      .example('The club pays what the claim of invoice INV-1001 expects.')
      .description('Why it matches or not. It is found again when a person changes a line or applies'),
  },
  claim_id: {
    input: nullableId().description('Names the claim that the line pays; null: the service finds it again'),
    setBy: 'change',
    output: nullableId(),
    columns: 'uuid',
  },
  invoice_id: { output: nullableId() },
  expected_cents: {
    output: cents().allow(null).description('What the claim still expected before this payment'),
  },
  is_claim_named: { output: strictBoolean().description('True if a person named the claim') },
  ignored_reason: optionalText(500, {
    input: text(500)
      .allow(null)
      .example('A fee of the club')
      .description('Sets the line aside; null: it is open again'),
    setBy: 'change',
  }),
  payment_id: { output: nullableId() },
  created_at: time(),
  updated_at: time(),
});
