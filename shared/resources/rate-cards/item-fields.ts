import Joi from 'joi';
import { limitQuantity } from '../../billing/line-item-fields.js';
import { MAX_UNIT_PRICE_CENTS } from '../../billing/money.js';
import { cents, integer, slug, strictBoolean, text } from '../../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, SERVICE_TYPES, UNIT_TYPES } from '../../contracts/vocabulary.js';
import { defineEntryFields } from '../../records/fields/record-fields.js';

interface ItemSiblings {
  category?: unknown;
  unit_type?: unknown;
}

/**
 * Refuses a value for storage by the day. Such storage has no minimum, because one stay may be
 * charged on several invoices. It has no after-hours price, because a stay covers all hours of the
 * day.
 */
const notForStorage: Joi.CustomValidator = (value, helpers) => {
  const { category, unit_type } = helpers.state.ancestors[0] as ItemSiblings;
  const isStorage = category === 'storage' && unit_type === 'day';
  return value && isStorage ? helpers.error('any.notForStorage') : value;
};

const includedQuantity = () =>
  limitQuantity(Joi.number().strict().min(0))
    .description('Units that cost nothing, such as the first miles; by day: the free days of a new impound')
    .example(0);

/**
 * Keep the sequence of the members. `notForStorage` can read only the members above the member that
 * it checks.
 */
export const rateCardItemFields = defineEntryFields({
  name: {
    input: text(200)
      .description('Name of the invoice line item; derived from the category when omitted')
      .example('Hook-up'),
    output: Joi.string().example('Hook-up'),
    freeText: true,
  },
  service_type: {
    input: slug(SERVICE_TYPES)
      .allow(null)
      .default(null)
      .description(
        'The service this is for; null: any. An item for a service replaces the items for any service in its category',
      )
      .example(null, { override: true }),
    output: Joi.string().allow(null).example(null),
    csv: 'plain',
  },
  category: {
    input: slug(LINE_ITEM_CATEGORIES)
      .description(
        `goa alone is charged when a job ended as goa or unsuccessful; storage, impound and gate_fee when the job has an impound. Published values: ${LINE_ITEM_CATEGORIES.join(', ')}.`,
      )
      .example('hook_up', { override: true }),
    isRequired: true,
    output: Joi.string().example('hook_up'),
    csv: 'plain',
  },
  unit_type: {
    input: slug(UNIT_TYPES)
      .description(
        'flat and each count once, mile the loaded miles, hour and quarter_hour the started quarter hours from dispatch to completion, day the days of storage; others are never charged by themselves',
      )
      .example('flat', { override: true }),
    isRequired: true,
    output: Joi.string().example('flat'),
    csv: 'plain',
  },
  unit_price_cents: {
    input: integer(0, MAX_UNIT_PRICE_CENTS).example(7500),
    isRequired: true,
    output: cents().example(7500),
  },
  included_quantity: { input: includedQuantity().default(0), output: Joi.number().example(0) },
  minimum_cents: {
    input: integer(0, MAX_UNIT_PRICE_CENTS)
      .allow(null)
      .default(null)
      .custom(notForStorage)
      .description('Minimum of the line item when anything is charged; not allowed for storage by the day')
      .example(null),
    output: cents().allow(null).example(null),
  },
  after_hours: {
    input: strictBoolean()
      .default(false)
      .custom(notForStorage)
      .description('Charged only when the job was sent out within the after-hours window')
      .example(false),
    output: Joi.boolean().example(false),
  },
  taxable: {
    input: strictBoolean().default(false).example(true),
    output: Joi.boolean().example(true),
  },
});

export const rateCardItemInput = Joi.object(rateCardItemFields.creation).meta({
  className: 'RateCardItemInput',
});

export const rateCardItem = rateCardItemFields.response.meta({ className: 'RateCardItem' });
