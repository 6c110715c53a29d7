import Joi from 'joi';
import { strictBoolean } from '../contracts/schemas/fields.js';
import { NEGATIVE_PRICE_CATEGORIES } from '../contracts/vocabulary.js';
import { lineItemFields } from './line-item-fields.js';
import { MAX_QUANTITY_DECIMALS } from './money.js';

export const lineItemInput = Joi.object(lineItemFields.creation).meta({ className: 'LineItemInput' });

const { total_cents: _total, taxable: _taxable, ...draftLineKeys } = lineItemFields.creation;

/** A line item that the server has priced, in the form that POST /invoices accepts. */
export const pricedLineItem = lineItemInput
  .fork('total_cents', (total) => total.required().description('quantity times unit_price_cents'))
  .meta({ className: 'PricedLineItem' });

/**
 * A line item of an invoice that an agent drafts (docs/specification.md §2.1.1). The agent sends no
 * total, because the server calculates the total. `taxable` is required.
 */
export const draftLine = Joi.object({ ...draftLineKeys, taxable: strictBoolean().required() })
  .fork('quantity', (quantity) => quantity.description(`At most ${MAX_QUANTITY_DECIMALS} decimals`))
  .fork('unit_price_cents', (price) =>
    price.description(`Negative only in the categories ${NEGATIVE_PRICE_CATEGORIES.join(' and ')}`),
  )
  .meta({ className: 'InvoiceDraftLine' });

export const lineItem = lineItemFields.response.meta({ className: 'LineItem' });
