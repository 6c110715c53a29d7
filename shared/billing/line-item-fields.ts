import Joi from 'joi';
import { cents, integer, multilineText, slug, strictBoolean, text } from '../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, NEGATIVE_PRICE_CATEGORIES, UNIT_TYPES } from '../contracts/vocabulary.js';
import { recordId } from '../records/fields/field.js';
import { defineFields } from '../records/fields/record-fields.js';
import {
  calculateLineTotalCents,
  countDecimalPlaces,
  LINE_TOTAL_TOLERANCE_CENTS,
  MAX_QUANTITY,
  MAX_QUANTITY_DECIMALS,
  MAX_UNIT_PRICE_CENTS,
} from './money.js';

interface LineSiblings {
  category?: unknown;
  quantity?: unknown;
  unit_price_cents?: unknown;
}

const checkUnitPrice: Joi.CustomValidator<number> = (value, helpers) => {
  const { category } = helpers.state.ancestors[0] as LineSiblings;
  if (value >= 0 || NEGATIVE_PRICE_CATEGORIES.includes(String(category))) return value;
  return helpers.error('number.negativePrice', { categories: NEGATIVE_PRICE_CATEGORIES.join(', ') });
};

/**
 * Compares a client's line total with the server's. The client may round differently, so a
 * difference of one cent is accepted (docs/decisions.md §3, Money).
 */
const checkLineTotal: Joi.CustomValidator<number> = (value, helpers) => {
  const { quantity, unit_price_cents } = helpers.state.ancestors[0] as LineSiblings;
  // If quantity or unit price is invalid, report only that error, not a total mismatch too.
  if (!isQuantity(quantity) || !isUnitPrice(unit_price_cents)) return value;
  const expected = calculateLineTotalCents(quantity, unit_price_cents);
  return Math.abs(expected - value) <= LINE_TOTAL_TOLERANCE_CENTS
    ? value
    : helpers.error('number.line_total_mismatch', { expected });
};

function isQuantity(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_QUANTITY && hasFewDecimals(value);
}

function isUnitPrice(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= MAX_UNIT_PRICE_CENTS;
}

function hasFewDecimals(value: number): boolean {
  return countDecimalPlaces(value) <= MAX_QUANTITY_DECIMALS;
}

/** Adds the upper limit of a quantity and of its decimals to a schema that has the lower limit. */
export function limitQuantity(schema: Joi.NumberSchema): Joi.NumberSchema {
  return schema
    .max(MAX_QUANTITY)
    .custom((value: number, helpers) =>
      hasFewDecimals(value) ? value : helpers.error('number.decimals', { limit: MAX_QUANTITY_DECIMALS }),
    );
}

const quantity = () => limitQuantity(Joi.number().strict().greater(0)).example(1);

/**
 * Keep the sequence of these fields, because a check can read only members above its own field. The
 * check of `unit_price_cents` reads `category`. The check of `total_cents` reads `quantity` and
 * `unit_price_cents`.
 */
export const lineItemFields = defineFields({
  invoice_id: { columns: 'uuid', csv: 'plain' },
  id: recordId(),
  position: { output: Joi.number().integer().min(1).example(1) },
  name: {
    input: text(200).example('Light-duty tow'),
    isRequired: true,
    output: Joi.string().example('Light-duty tow'),
    columns: 'text',
    freeText: true,
  },
  description: {
    input: multilineText(2000).allow(null, ''),
    output: Joi.string().allow(null, ''),
    columns: 'text',
    freeText: true,
  },
  category: { input: slug(LINE_ITEM_CATEGORIES), isRequired: true, columns: 'text', csv: 'plain' },
  quantity: {
    input: quantity(),
    isRequired: true,
    output: Joi.number().greater(0).example(1),
    columns: 'numeric',
  },
  unit_type: { input: slug(UNIT_TYPES), isRequired: true, columns: 'text', csv: 'plain' },
  unit_price_cents: {
    input: integer(-MAX_UNIT_PRICE_CENTS, MAX_UNIT_PRICE_CENTS).custom(checkUnitPrice).example(12_500),
    isRequired: true,
    output: cents(),
    columns: 'bigint',
  },
  total_cents: {
    input: integer(-1e15, 1e15)
      .custom(checkLineTotal)
      .example(12_500)
      .description(
        'Computed from quantity and unit_price_cents if omitted. If given, it may differ by one cent',
      ),
    output: cents(),
    columns: 'bigint',
  },
  taxable: { input: strictBoolean().default(false), output: Joi.boolean(), columns: 'boolean' },
  invoice_number: { columns: null, csv: 'text' },
});
