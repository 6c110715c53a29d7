import Joi from 'joi';
import { pricedLineItem } from '../../billing/line-item-schema.js';
import { allRequired, cents, cursor, limit, text, uuid } from '../../contracts/schemas/fields.js';
import { cardName, date, rateCardFields } from './fields.js';
import { rateCardItem, rateCardItemInput } from './item-fields.js';

export { pricedLineItem, rateCardItem, rateCardItemInput };

export const rateCardCreate = Joi.object(rateCardFields.creation).meta({ className: 'RateCardCreate' });

export const rateCard = rateCardFields.response.meta({ className: 'RateCard' });

export const rateCardListQuery = Joi.object({
  search: text(100).description('Part of the name'),
  is_default: Joi.boolean(),
  in_force_on: date().description('Only the versions that are in force on this day'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RateCardListQuery' });

const nullableQuantity = () => Joi.number().min(0).allow(null);

/** Explains how an item of the rate card was charged, or why the item was not charged. */
export const priceExplanation = allRequired({
  name: Joi.string().example('Loaded miles'),
  category: Joi.string().example('mileage'),
  service_type: Joi.string().allow(null).example(null),
  line: Joi.number()
    .integer()
    .min(1)
    .allow(null)
    .example(1)
    .description('Position in line_items; null: not charged'),
  measured_quantity: nullableQuantity().example(12.5).description('null: unknown for this job'),
  included_quantity: nullableQuantity().example(5),
  charged_quantity: nullableQuantity().example(7.5),
  minimum_applied: Joi.boolean().example(false),
  reason: Joi.string().example('12.5 mile, 5 of them included'),
}).meta({ className: 'PriceExplanation' });

/**
 * The price of a work order by its rate card. This is a preview, which the server does not store.
 */
export const jobPrice = allRequired({
  work_order_id: uuid(),
  customer_id: uuid().allow(null).description('The customer whose card and tax rate apply'),
  rate_card: allRequired({ id: uuid(), name: cardName(), effective_from: date() }),
  is_after_hours: Joi.boolean().example(false),
  is_invoiced: Joi.boolean()
    .example(false)
    .description('An invoice already charges this job; a further invoice gets storage alone'),
  invoiced_storage_days: Joi.number().integer().min(0).example(0).description('Of the days in line_items'),
  line_items: Joi.array().items(pricedLineItem).description('As POST /invoices takes them'),
  explanation: Joi.array().items(priceExplanation).description('Every item of the card for this service'),
  subtotal_cents: cents(),
  tax_rate_bps: Joi.number().integer().example(825),
  tax_cents: cents().example(1031),
  total_cents: cents().example(13_531),
}).meta({ className: 'JobPrice' });
