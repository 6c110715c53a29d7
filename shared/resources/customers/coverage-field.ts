import Joi from 'joi';
import { limitQuantity } from '../../billing/line-item-fields.js';
import { MAX_UNIT_PRICE_CENTS } from '../../billing/money.js';
import { allRequired, cents, integer, slug } from '../../contracts/schemas/fields.js';
import { SERVICE_TYPES } from '../../contracts/vocabulary.js';
import type { Field } from '../../records/fields/field.js';

const MAX_SERVICES = 50;

const DESCRIPTION =
  'What the customer, such as a motor club, pays for one work order. A member that is null is not limited. null: everything. docs/detectors.md says which invoices are found that bill more';

const LOADED_MILES = 'Loaded miles that are paid, with the free ones of the rate card; null: all';
const AMOUNT = 'Most that is paid before tax, over all invoices of the work order; null: any amount';
const SERVICES = `Services that are paid; null: all. Published values: ${SERVICE_TYPES.join(', ')}.`;

const loadedMiles = () => limitQuantity(Joi.number().strict().min(0));

const coverageInput = Joi.object({
  loaded_miles: loadedMiles().allow(null).default(null).description(LOADED_MILES).example(10),
  amount_cents: integer(1, MAX_UNIT_PRICE_CENTS)
    .allow(null)
    .default(null)
    .description(AMOUNT)
    .example(15_000),
  service_types: Joi.array()
    .items(slug(SERVICE_TYPES))
    .min(1)
    .max(MAX_SERVICES)
    .allow(null)
    .default(null)
    .description(SERVICES)
    .example(['light_duty_tow', 'jump_start'], { override: true }),
});

const coverage = allRequired({
  loaded_miles: Joi.number().min(0).allow(null).description(LOADED_MILES).example(10),
  amount_cents: cents().allow(null).description(AMOUNT).example(15_000),
  service_types: Joi.array()
    .items(slug(SERVICE_TYPES))
    .allow(null)
    .description(SERVICES)
    .example(['light_duty_tow', 'jump_start']),
});

export const coverageField: Field = {
  input: coverageInput.allow(null).description(DESCRIPTION),
  output: coverage.allow(null).description(DESCRIPTION).example(null, { override: true }),
  columns: 'jsonb',
  csv: [
    { name: 'coverage_loaded_miles', kind: 'plain', sql: (alias) => `${alias}.coverage ->> 'loaded_miles'` },
    {
      name: 'coverage_amount_cents',
      kind: 'cents',
      sql: (alias) => `(${alias}.coverage ->> 'amount_cents')::bigint`,
    },
    {
      name: 'coverage_service_types',
      kind: 'plain',
      sql: (alias) => `nullif(${alias}.coverage -> 'service_types', 'null')`,
    },
  ],
};
