import Joi from 'joi';
import { aging } from '../../billing/aging.js';
import { allRequired, cents, dateOrDateTime, dateTime, uuid } from '../../contracts/schemas/fields.js';

export const customerStatementQuery = Joi.object({
  since: dateOrDateTime().description('Inclusive. Default: 90 days ago'),
  until: dateOrDateTime().description('Exclusive. Default: now'),
}).meta({ className: 'CustomerStatementQuery' });

export const statementEntry = allRequired({
  at: dateTime(),
  kind: Joi.string().valid('invoice', 'payment', 'refund'),
  id: uuid().description('Id of the invoice, payment or refund'),
  reference: Joi.string().description(
    'Number of the invoice; reference or method of the payment; reason of the refund',
  ),
  amount_cents: cents().description('Change in what the customer owes; negative: owes less'),
  balance_cents: cents().description('What the customer owed after this entry; negative: credit'),
}).meta({ className: 'StatementEntry' });

export const customerStatement = allRequired({
  customer_id: uuid(),
  company_name: Joi.string(),
  since: dateTime(),
  until: dateTime(),
  opening_balance_cents: cents().description('Negative: credit'),
  invoiced_cents: cents(),
  paid_cents: cents(),
  refunded_cents: cents(),
  closing_balance_cents: cents().description('opening + invoiced - paid + refunded'),
  aging,
  entries: Joi.array().items(statementEntry).description('Sorted by time, oldest first'),
}).meta({ className: 'CustomerStatement' });
