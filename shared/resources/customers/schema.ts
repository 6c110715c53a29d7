import Joi from 'joi';
import {
  allRequired,
  cents,
  cursor,
  dateTime,
  email,
  integer,
  limit,
  multilineText,
  slug,
  strictBoolean,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { COMPANY_TYPES } from '../../contracts/vocabulary.js';

const rateCardId = () =>
  uuid()
    .allow(null)
    .description(
      "Any version of a rate card; the version in force prices this customer's work orders. null: the default",
    )
    .example(null);

const customerKeys = () => ({
  company_type: slug(COMPANY_TYPES),
  billing_email: email().allow(null),
  primary_phone: text(32).allow(null).example('+1 212 555 0100'),
  address: multilineText(500).allow(null),
  city: text(120).allow(null),
  state: text(50).allow(null),
  zip: text(20).allow(null),
  terms_days: integer(0, 365).allow(null).description("Payment terms; null: the account's"),
  tax_exempt: strictBoolean(),
  tax_rate_bps: integer(0, 10_000).allow(null).description("Tax in basis points; null: the account's"),
  rate_card_id: rateCardId(),
});

const companyName = () => text(200).example('Hudson Auto Club');

export const customerCreate = Joi.object({
  company_name: companyName().required(),
  ...customerKeys(),
}).meta({ className: 'CustomerCreate' });

export const customerPatch = Joi.object({
  company_name: companyName(),
  ...customerKeys(),
  is_active: strictBoolean(),
}).meta({ className: 'CustomerPatch' });

export const customer = allRequired({
  id: uuid(),
  company_name: companyName(),
  company_type: slug(COMPANY_TYPES),
  billing_email: email().allow(null),
  primary_phone: Joi.string().allow(null),
  address: Joi.string().allow(null),
  city: Joi.string().allow(null),
  state: Joi.string().allow(null),
  zip: Joi.string().allow(null),
  is_active: Joi.boolean(),
  terms_days: Joi.number().integer().allow(null).example(30),
  tax_exempt: Joi.boolean(),
  tax_rate_bps: Joi.number().integer().allow(null).example(825),
  rate_card_id: rateCardId(),
  balance_cents: cents().description('Open amount of released invoices'),
  overdue_cents: cents().example(0).description('The overdue part of balance_cents'),
  credit_cents: cents().example(0).description('Overpaid and not refunded'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'Customer' });

/**
 * A customer in an agent's list. A short page has whole customers. A longer page omits null members
 * and may omit the members below.
 */
export const agentCustomerListItem = customer
  .fork(
    [
      'address',
      'zip',
      'terms_days',
      'tax_exempt',
      'tax_rate_bps',
      'rate_card_id',
      'credit_cents',
      'billing_email',
      'primary_phone',
      'city',
      'state',
      'created_at',
      'updated_at',
    ],
    (member) => member.optional(),
  )
  .meta({ className: 'AgentCustomerListItem' });

export const customerListQuery = Joi.object({
  search: text(100).description('Part of company_name or billing_email'),
  company_type: slug(COMPANY_TYPES),
  is_active: Joi.boolean(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'CustomerListQuery' });
