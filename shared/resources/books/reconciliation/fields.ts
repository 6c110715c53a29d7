import Joi from 'joi';
import { namedEnum } from '../../../contracts/named-enum.js';
import { allRequired, uuid } from '../../../contracts/schemas/fields.js';
import { recordId, time } from '../../../records/fields/field.js';
import { defineFields } from '../../../records/fields/record-fields.js';
import { DIFFERENCE_CODES } from './codes.js';

export const bookDifferenceCode = namedEnum('BookDifferenceCode', DIFFERENCE_CODES, {
  missing_there:
    'The invoice is not in the books, or not in the compared months of the books if it is not linked',
  missing_here: 'The invoice is only in the books',
  not_linked: 'An invoice with this number is in the books, but this service has not entered it',
  duplicate: 'Another record in the books is the same invoice',
  waiting: 'A change is not in the books yet',
  changed: 'A change has reached the books during the comparison. Compare again',
  correction: 'The invoice is being corrected here. The books get it when it is released again',
  status: 'One side is void or deleted',
  currency: 'The invoice in the books is in another currency. No sum contains it',
  month: 'Both sides have another month',
  amount: 'Both sides have another total',
  number: 'Both sides have another number',
  paid: 'Both sides have another paid amount',
});

/** A month as YYYY-MM. */
export const month = (): Joi.StringSchema =>
  Joi.string()
    .pattern(/^2\d{3}-(0[1-9]|1[0-2])$/, 'month')
    .example('2026-01');

const side = () =>
  allRequired({
    status: Joi.string().example('open'),
    month: Joi.string().allow(null).example('2026-01'),
    number: Joi.string().allow(null).example('1042'),
    total_cents: Joi.number().integer().example(12_500),
    paid_cents: Joi.number().integer().example(0),
  }).allow(null);

/** One invoice that is not the same here and in the books. */
export const bookDifferenceFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  month: {
    output: Joi.string()
      .allow(null)
      .example('2026-01')
      .description('Of our side if it is compared, else of the other. Null if the date there is unknown'),
    sql: (alias) => `to_char(${alias}.month, 'YYYY-MM')`,
    columns: 'date',
  },
  code: { output: bookDifferenceCode },
  invoice_id: { output: uuid().allow(null).description('Null if the invoice is only in the books') },
  external_id: {
    output: Joi.string().allow(null).example('145').description("The vendor's id of the invoice"),
  },
  invoice_number: { output: Joi.string().allow(null).example('1042') },
  message: { output: Joi.string().example('Invoice 1042 is not in the books.') },
  ours: { output: side() },
  theirs: { output: side() },
  created_at: time(),
});
