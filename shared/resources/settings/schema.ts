import Joi from 'joi';
import { MAX_INVOICE_TOTAL_CENTS, MAX_TAX_RATE_BPS } from '../../billing/money.js';
import {
  allRequired,
  cents,
  dateTime,
  email,
  integer,
  multilineText,
  strictBoolean,
  text,
} from '../../contracts/schemas/fields.js';
import { LOGO_TYPES } from '../../documents/logo-image.js';
import { isNodeTimeZone } from './time-zones.js';
import { wording, wordingText } from './wording-schema.js';

const timeZone = () =>
  Joi.string()
    .max(64)
    .custom((value: string, helpers) => (isNodeTimeZone(value) ? value : helpers.error('string.timeZone')))
    .meta({ format: 'time-zone' })
    .example('America/New_York');

const DESCRIPTIONS = {
  time_zone:
    'IANA name. Sets the midnight of plain dates, the end of due dates and the start of days of storage',
  tax_rate_bps:
    'Tax of new invoices, in basis points of their taxable line items: 825 is 8.25 %. A customer may have its own rate',
  grace_days: 'Days between the due date of an invoice and the day on which it becomes overdue',
  terms_days:
    'Days between the release of an invoice without a due date and its due date. A customer may have its own terms',
  agent_gate_cents:
    "An agent's draft waits for a person once the key's drafts of 24 hours for its work order or its payer (customer or billing address) reach this amount. null: no draft waits",
  agent_day_cents:
    "An agent's draft waits for a person once all drafts of the key within 24 hours reach this amount. null: no draft waits",
  business_name: "Name of the company on invoices. null: the account's name",
  address: 'Street of the company, on invoices',
  city: 'City of the company, on invoices',
  state: 'State of the company, on invoices',
  zip: 'ZIP code of the company, on invoices',
  phone: 'Phone number on invoices, for questions about them',
  email: 'E-mail address on invoices, for questions about them',
  require_factor:
    'true: people without a second factor must set one up before they can do anything else. Only a person who has one may turn this on; no key may change it, and a sandbox has the setting of its live account',
  driver_payments:
    "true: the driver's page shows what the customer owes, and takes the payment on a card reader or by a code to pay online",
  remittance_text: 'How to pay, in your words. null: invoices show phone and e-mail',
};

const LETTERHEAD = {
  business_name: 'Hudson Towing & Recovery',
  address: '48 Warren Street',
  city: 'Hudson',
  state: 'NY',
  zip: '12534',
  phone: '+1 518 555 0142',
  remittance_text: 'Checks payable to Hudson Towing & Recovery',
};

const letterheadText = (name: keyof typeof LETTERHEAD, schema = Joi.string()) =>
  schema.allow(null).example(LETTERHEAD[name]).description(DESCRIPTIONS[name]);

/**
 * The company's details on invoices. They appear on the invoice's web page, in its PDF and in its
 * mail. Null clears a detail.
 */
const letterheadPatch = () => ({
  business_name: letterheadText('business_name', text(200)),
  address: letterheadText('address', multilineText(500)),
  city: letterheadText('city', text(120)),
  state: letterheadText('state', text(50)),
  zip: letterheadText('zip', text(20)),
  phone: letterheadText('phone', text(32)),
  email: email().allow(null).description(DESCRIPTIONS.email),
  remittance_text: letterheadText('remittance_text', multilineText(2000)),
});

const letterhead = () => ({
  business_name: letterheadText('business_name'),
  address: letterheadText('address'),
  city: letterheadText('city'),
  state: letterheadText('state'),
  zip: letterheadText('zip'),
  phone: letterheadText('phone'),
  email: email().allow(null).description(DESCRIPTIONS.email),
  remittance_text: letterheadText('remittance_text'),
  logo: allRequired({
    content_type: Joi.string().valid(...LOGO_TYPES),
    width: Joi.number().integer().example(480),
    height: Joi.number().integer().example(120),
    bytes: Joi.number().integer().example(18_204),
    updated_at: dateTime(),
  })
    .allow(null)
    .description('The picture on invoices: GET, PUT and DELETE /settings/logo'),
});

export const settingsPatch = Joi.object({
  time_zone: timeZone().description(DESCRIPTIONS.time_zone),
  tax_rate_bps: integer(0, MAX_TAX_RATE_BPS).example(825).description(DESCRIPTIONS.tax_rate_bps),
  grace_days: integer(0, 365).example(0).description(DESCRIPTIONS.grace_days),
  terms_days: integer(0, 365).example(30).description(DESCRIPTIONS.terms_days),
  agent_gate_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(100_000)
    .description(DESCRIPTIONS.agent_gate_cents),
  agent_day_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(500_000)
    .description(DESCRIPTIONS.agent_day_cents),
  ...letterheadPatch(),
  ...wording(),
  require_factor: strictBoolean().example(false).description(DESCRIPTIONS.require_factor),
  driver_payments: strictBoolean().example(false).description(DESCRIPTIONS.driver_payments),
}).meta({ className: 'SettingsPatch' });

export const settings = allRequired({
  time_zone: Joi.string().example('America/New_York').description(DESCRIPTIONS.time_zone),
  tax_rate_bps: Joi.number().integer().example(825).description(DESCRIPTIONS.tax_rate_bps),
  grace_days: Joi.number().integer().example(0).description(DESCRIPTIONS.grace_days),
  terms_days: Joi.number().integer().example(30).description(DESCRIPTIONS.terms_days),
  agent_gate_cents: cents().allow(null).example(100_000).description(DESCRIPTIONS.agent_gate_cents),
  agent_day_cents: cents().allow(null).example(500_000).description(DESCRIPTIONS.agent_day_cents),
  ...letterhead(),
  ...wordingText(),
  require_factor: Joi.boolean().example(false).description(DESCRIPTIONS.require_factor),
  driver_payments: Joi.boolean().example(false).description(DESCRIPTIONS.driver_payments),
  updated_at: dateTime(),
}).meta({ className: 'Settings' });
