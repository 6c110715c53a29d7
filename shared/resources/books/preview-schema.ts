import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { allRequired, dateTime } from '../../contracts/schemas/fields.js';

const count = () => Joi.number().integer().min(0);
const cents = () => Joi.number().integer();

export const bookingPreviewQuery = Joi.object({
  since: dateTime().description('Inclusive; by the time of release, or of a payment. Default: 90 days ago'),
}).meta({ className: 'BookingPreviewQuery' });

export const bookingConflictCode = namedEnum(
  'BookingConflictCode',
  [
    'no_account',
    'unknown_account',
    'no_tax_code',
    'unknown_tax_code',
    'number_too_long',
    'no_deposit_account',
    'unknown_deposit_account',
    'number_taken',
  ],
  {
    no_account: 'The settings name no income account for a category of the invoices',
    unknown_account: 'The settings name an account that the vendor does not list',
    no_tax_code: 'The settings name no tax code for taxed lines',
    unknown_tax_code: 'The settings name a tax code that the vendor does not list',
    number_too_long: 'The vendor does not accept numbers of this length',
    no_deposit_account: 'The settings name no account for payments, and the vendor needs one',
    unknown_deposit_account: 'The settings name an account for payments that the vendor does not list',
    number_taken:
      'Other invoices in the books have these numbers; as the daily read of the accounts has found them, of the 80 newest invoices',
  },
);

export const bookingCategory = allRequired({
  category: Joi.string().example('tow'),
  account: Joi.string().allow(null).example('79').description('As in the settings; null if none is chosen'),
  invoices: count().example(12),
  total_cents: cents().example(240_000),
}).meta({ className: 'BookingCategory' });

export const bookingConflict = allRequired({
  code: bookingConflictCode,
  invoices: count().example(2).description('The invoices that wait until the conflict is resolved'),
  payments: count().example(0).description('The payments that wait until the conflict is resolved'),
  message: Joi.string().example('No income account is chosen for storage.'),
}).meta({ className: 'BookingConflict' });

/** What POST /connections/{id}/sync with the same `since` will write in the books. */
export const bookingPreview = allRequired({
  since: dateTime(),
  invoices: count().example(14),
  booked_invoices: count().example(2).description('Those of them that are in the books already'),
  invoiced_cents: cents()
    .example(310_000)
    .description('The totals of these invoices, also of older ones that were paid since'),
  payments: count().example(9),
  received_cents: cents().example(205_000).description('What was paid and not refunded'),
  new_customers: count()
    .example(3)
    .description(
      'Customers of these invoices that are not linked yet; each is looked for before it is created',
    ),
  categories: Joi.array().items(bookingCategory).description('The categories of all lines, by amount'),
  conflicts: Joi.array().items(bookingConflict).description('Empty if a person need not decide anything'),
}).meta({ className: 'BookingPreview' });
