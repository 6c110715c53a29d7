import Joi from 'joi';
import { lineItemInput } from '../../billing/line-item-schema.js';
import {
  countDecimalPlaces,
  MAX_QUANTITY,
  MAX_QUANTITY_DECIMALS,
  MAX_UNIT_PRICE_CENTS,
} from '../../billing/money.js';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  integer,
  isDate,
  limit,
  slug,
  strictBoolean,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, SERVICE_TYPES, UNIT_TYPES } from '../../contracts/vocabulary.js';

const MAX_ITEMS = 100;

const date = () =>
  Joi.string()
    .custom((value: string, helpers) =>
      isDate(value)
        ? value
        : helpers.error('string.dateTime', { form: 'a date that exists, such as 2026-11-21' }),
    )
    .meta({ format: 'date' })
    .example('2026-01-01');

const timeOfDay = (example: string) =>
  Joi.string()
    .pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'be a time of day such as 18:00')
    .example(example);

const cardName = () => text(100).example('Standard rates');

interface ItemSiblings {
  category?: unknown;
  unit_type?: unknown;
}

/**
 * Storage is charged in parts, over several invoices and at any hour: it can have neither a minimum
 * nor an after-hours price.
 */
const notForStorage: Joi.CustomValidator = (value, helpers) => {
  const { category, unit_type } = helpers.state.ancestors[0] as ItemSiblings;
  const isStorage = category === 'storage' && unit_type === 'day';
  return value && isStorage ? helpers.error('any.notForStorage') : value;
};

const includedQuantity = () =>
  Joi.number()
    .strict()
    .min(0)
    .max(MAX_QUANTITY)
    .custom((value: number, helpers) =>
      countDecimalPlaces(value) <= MAX_QUANTITY_DECIMALS
        ? value
        : helpers.error('number.decimals', { limit: MAX_QUANTITY_DECIMALS }),
    )
    .description('Units that cost nothing, such as the first miles; by day: the free days of a new impound')
    .example(0);

const itemKeys = () => ({
  name: text(200)
    .description('Name of the invoice line item; derived from the category when omitted')
    .example('Hook-up'),
  service_type: slug(SERVICE_TYPES)
    .allow(null)
    .default(null)
    .description(
      'The service this is for; null: any. An item for a service replaces the items for any service in its category',
    )
    .example(null, { override: true }),
  category: slug(LINE_ITEM_CATEGORIES)
    .required()
    .description(
      `goa alone is charged when a job ended as goa or unsuccessful; storage, impound and gate_fee when the job has an impound. Published values: ${LINE_ITEM_CATEGORIES.join(', ')}.`,
    )
    .example('hook_up', { override: true }),
  unit_type: slug(UNIT_TYPES)
    .required()
    .description(
      'flat and each count once, mile the loaded miles, hour and quarter_hour the started quarter hours from dispatch to completion, day the days of storage; others are never charged by themselves',
    )
    .example('flat', { override: true }),
  unit_price_cents: integer(0, MAX_UNIT_PRICE_CENTS).required().example(7500),
  included_quantity: includedQuantity().default(0),
  minimum_cents: integer(0, MAX_UNIT_PRICE_CENTS)
    .allow(null)
    .default(null)
    .custom(notForStorage)
    .description('Minimum of the line item when anything is charged; not allowed for storage by the day')
    .example(null),
  after_hours: strictBoolean()
    .default(false)
    .custom(notForStorage)
    .description('Charged only when the job was sent out within the after-hours window')
    .example(false),
  taxable: strictBoolean().default(false).example(true),
});

export const rateCardItemInput = Joi.object(itemKeys()).meta({ className: 'RateCardItemInput' });

const windowKeys = () => ({
  start: timeOfDay('18:00'),
  end: timeOfDay('08:00'),
  weekends: strictBoolean().description('All of Saturday and Sunday counts as after hours').example(true),
});

export const rateCardCreate = Joi.object({
  name: cardName()
    .required()
    .description('Cards with the same name (ignoring case) are versions of one card'),
  effective_from: date()
    .required()
    .description(
      "First day, in the account's time zone. Not before that of the previous version; on the same day the newer version applies",
    ),
  is_default: strictBoolean()
    .description(
      'Prices jobs of customers without a card of their own. Omitted: as in the previous version. Of several, the latest effective_from applies',
    )
    .example(true),
  after_hours_window: Joi.object({
    start: windowKeys().start.required(),
    end: windowKeys().end.required(),
    weekends: windowKeys().weekends.default(true),
  }).description(
    "In the account's time zone; compared with the time a job was dispatched, or else booked. Omitted: 18:00 to 08:00 and weekends",
  ),
  items: Joi.array().items(rateCardItemInput).min(1).max(MAX_ITEMS).required(),
}).meta({ className: 'RateCardCreate' });

export const rateCardItem = allRequired({
  name: Joi.string().example('Hook-up'),
  service_type: Joi.string().allow(null).example(null),
  category: Joi.string().example('hook_up'),
  unit_type: Joi.string().example('flat'),
  unit_price_cents: cents().example(7500),
  included_quantity: Joi.number().example(0),
  minimum_cents: cents().allow(null).example(null),
  after_hours: Joi.boolean().example(false),
  taxable: Joi.boolean().example(true),
}).meta({ className: 'RateCardItem' });

export const rateCard = allRequired({
  id: uuid(),
  name: cardName(),
  version: integer(1, Number.MAX_SAFE_INTEGER).example(1).description('Number of this version of the card'),
  effective_from: date(),
  effective_until: date()
    .allow(null)
    .example(null)
    .description('First day of the next version, which replaces this one; null while there is none'),
  superseded_by: uuid().allow(null).example(null).description('The next version'),
  is_default: Joi.boolean().example(true),
  after_hours_window: allRequired(windowKeys()),
  items: Joi.array().items(rateCardItem),
  created_at: dateTime(),
}).meta({ className: 'RateCard' });

export const rateCardListQuery = Joi.object({
  search: text(100).description('Part of the name'),
  is_default: Joi.boolean(),
  in_force_on: date().description('Only the versions that are in force on this day'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'RateCardListQuery' });

const nullableQuantity = () => Joi.number().min(0).allow(null);

/** One item of the card and the amount it led to. */
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

/** The price of a work order by its rate card; a preview that is not stored. */
export const jobPrice = allRequired({
  work_order_id: uuid(),
  customer_id: uuid().allow(null).description('The customer whose card and tax rate apply'),
  rate_card: allRequired({ id: uuid(), name: cardName(), effective_from: date() }),
  is_after_hours: Joi.boolean().example(false),
  is_invoiced: Joi.boolean()
    .example(false)
    .description('An invoice already charges this job; a further invoice gets storage alone'),
  invoiced_storage_days: Joi.number().integer().min(0).example(0).description('Of the days in line_items'),
  line_items: Joi.array().items(lineItemInput).description('As POST /invoices takes them'),
  explanation: Joi.array().items(priceExplanation).description('Every item of the card for this service'),
  subtotal_cents: cents(),
  tax_rate_bps: Joi.number().integer().example(825),
  tax_cents: cents().example(1031),
  total_cents: cents().example(13_531),
}).meta({ className: 'JobPrice' });
