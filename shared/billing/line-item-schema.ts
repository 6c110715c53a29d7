import Joi from 'joi';
import {
  allRequired,
  cents,
  integer,
  multilineText,
  slug,
  strictBoolean,
  text,
  uuid,
} from '../contracts/schemas/fields.js';
import { LINE_ITEM_CATEGORIES, NEGATIVE_PRICE_CATEGORIES, UNIT_TYPES } from '../contracts/vocabulary.js';
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
 * A client's total may differ by one cent, because clients may round differently
 * (docs/decisions.md §3, Money).
 */
const checkLineTotal: Joi.CustomValidator<number> = (value, helpers) => {
  const { quantity, unit_price_cents } = helpers.state.ancestors[0] as LineSiblings;
  // If quantity or unit price is invalid, report only that; do not add a total mismatch.
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

const quantity = () =>
  Joi.number()
    .strict()
    .greater(0)
    .max(MAX_QUANTITY)
    .custom((value: number, helpers) =>
      hasFewDecimals(value) ? value : helpers.error('number.decimals', { limit: MAX_QUANTITY_DECIMALS }),
    )
    .example(1);

const lineItemKeys = () => ({
  name: text(200).required().example('Light-duty tow'),
  description: multilineText(2000).allow(null, ''),
  category: slug(LINE_ITEM_CATEGORIES).required(),
  quantity: quantity().required(),
  unit_type: slug(UNIT_TYPES).required(),
  unit_price_cents: integer(-MAX_UNIT_PRICE_CENTS, MAX_UNIT_PRICE_CENTS)
    .custom(checkUnitPrice)
    .required()
    .example(12_500),
  total_cents: integer(-1e15, 1e15).custom(checkLineTotal).required().example(12_500),
  taxable: strictBoolean().default(false),
});

/** A line item as clients of the REST API send it. */
export const lineItemInput = Joi.object(lineItemKeys()).meta({ className: 'LineItemInput' });

const { total_cents: _total, taxable: _taxable, ...draftLineKeys } = lineItemKeys();

/**
 * A line item as agents send it (docs/specification.md §2.1.1). The server calculates the total,
 * and `taxable` is required.
 */
export const draftLine = Joi.object({
  ...draftLineKeys,
  quantity: draftLineKeys.quantity.description(`At most ${MAX_QUANTITY_DECIMALS} decimals`),
  unit_price_cents: draftLineKeys.unit_price_cents.description(
    `Negative only in the categories ${NEGATIVE_PRICE_CATEGORIES.join(' and ')}`,
  ),
  taxable: strictBoolean().required(),
}).meta({
  className: 'InvoiceDraftLine',
});

/** A line item as responses contain it. */
export const lineItem = allRequired({
  id: uuid(),
  position: Joi.number().integer().min(1).example(1),
  name: Joi.string().example('Light-duty tow'),
  description: Joi.string().allow(null, ''),
  category: slug(LINE_ITEM_CATEGORIES),
  quantity: Joi.number().greater(0).example(1),
  unit_type: slug(UNIT_TYPES),
  unit_price_cents: cents(),
  total_cents: cents(),
  taxable: Joi.boolean(),
}).meta({ className: 'LineItem' });
