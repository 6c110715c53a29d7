import Joi from 'joi';
import { namedEnum } from '../../../contracts/named-enum.js';
import { allRequired, cursor, dateTime, limit, uuid } from '../../../contracts/schemas/fields.js';
import { bookDifferenceFields, month } from './fields.js';

export { bookDifferenceCode } from './fields.js';

const count = () => Joi.number().integer().min(0);
const sum = () => Joi.number().integer();

export const bookReconciliationStatus = namedEnum(
  'BookReconciliationStatus',
  ['running', 'complete', 'failed'],
  {
    running: 'The worker reads both sides. The sums and differences are those found so far',
    complete: 'Both sides were read',
    failed:
      'The worker has given up, or the connection was disconnected. The sums and differences are incomplete',
  },
);

const sums = (invoiced: string, paid: string, credited: Joi.Schema) =>
  allRequired({
    invoices: count().example(212).description('Without void ones'),
    invoiced_cents: sum().example(3_100_000).description(invoiced),
    paid_cents: sum().example(2_050_000).description(paid),
    credited_cents: credited,
  });

export const bookMonth = allRequired({
  month: month(),
  ours: sums(
    'The totals of the invoices of this month, by the date under which they enter the books',
    'The part of it that is paid',
    sum().example(0).description('Always 0: this service has no credit notes'),
  ),
  theirs: sums(
    'The totals of all sales invoices of this month in the books, without those in another currency',
    'The part of it that payments and credits have settled',
    sum().allow(null).example(0).description('The part of it that credits have settled; null if unknown'),
  ),
  drafts: count()
    .example(0)
    .description('The invoices in the books that are not approved yet. No sum contains them'),
  differences: count().example(3).description('The differences of this month'),
}).meta({ className: 'BookMonth' });

export const bookReconciliation = allRequired({
  connection_id: uuid(),
  status: bookReconciliationStatus,
  from: month(),
  to: month(),
  months: Joi.array().items(bookMonth).description('Every month, the first one first'),
  differences: count().example(3).description('The number of all differences'),
  omitted: count().example(0).description('Those of them that are not listed, because there are too many'),
  error: Joi.string()
    .allow(null)
    .example(null)
    .description('Why it has failed, or why the next page could not be read yet; else null'),
  started_at: dateTime(),
  ended_at: dateTime().allow(null),
}).meta({ className: 'BookReconciliation' });

export const bookDifference = bookDifferenceFields.response.meta({ className: 'BookDifference' });

export const bookDifferenceListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'BookDifferenceListQuery',
});
