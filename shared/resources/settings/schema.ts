import Joi from 'joi';
import { allRequired, cents, dateTime, email, integer, multilineText, text } from '../../contracts/fields.js';
import { MAX_INVOICE_TOTAL_CENTS, MAX_TAX_RATE_BPS } from '../invoices/money.js';
import { LOGO_TYPES } from './logo-image.js';
import { isTimeZone } from './time-zones.js';

const timeZone = () =>
  Joi.string()
    .max(64)
    .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('string.timeZone')))
    .meta({ format: 'time-zone' })
    .example('America/New_York');

/** The account's own block on its invoices: page, PDF and mail. Each may be cleared with null. */
const letterheadPatch = () => ({
  business_name: text(200)
    .allow(null)
    .example('Hudson Towing & Recovery')
    .description("Name on invoices; null: the account's name"),
  address: multilineText(500).allow(null).example('48 Warren Street'),
  city: text(120).allow(null).example('Hudson'),
  state: text(50).allow(null).example('NY'),
  zip: text(20).allow(null).example('12534'),
  phone: text(32).allow(null).example('+1 518 555 0142'),
  email: email().allow(null),
  remittance_text: multilineText(2000)
    .allow(null)
    .example('Checks payable to Hudson Towing & Recovery')
    .description('How to pay, in your words; null: invoices name phone and e-mail'),
});

const letterhead = () => ({
  business_name: Joi.string().allow(null).example('Hudson Towing & Recovery'),
  address: Joi.string().allow(null).example('48 Warren Street'),
  city: Joi.string().allow(null).example('Hudson'),
  state: Joi.string().allow(null).example('NY'),
  zip: Joi.string().allow(null).example('12534'),
  phone: Joi.string().allow(null).example('+1 518 555 0142'),
  email: email().allow(null),
  remittance_text: Joi.string().allow(null).example('Checks payable to Hudson Towing & Recovery'),
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

/** What each setting does, where it is shown and where it is changed. */
const EXPLAINED = {
  time_zone:
    'IANA name. It says which midnight a plain date means, when a due date ends and when a day of storage begins',
  tax_rate_bps:
    'Tax of new invoices, in basis points of their taxable lines: 825 is 8.25 %. A customer may have a rate of its own',
  grace_days: 'Days between the due date of an invoice and the day on which it becomes overdue',
  terms_days:
    'Days between the release of an invoice without a due date and its due date. A customer may have terms of its own',
  agent_gate_cents:
    "An agent's draft waits for a person once the key's drafts of 24 hours for its work order or its customer come to this. null: none waits",
  agent_day_cents:
    "An agent's draft waits for a person once all drafts of the key within 24 hours come to this. null: none waits",
};

export const settingsPatch = Joi.object({
  time_zone: timeZone().description(EXPLAINED.time_zone),
  tax_rate_bps: integer(0, MAX_TAX_RATE_BPS).example(825).description(EXPLAINED.tax_rate_bps),
  grace_days: integer(0, 365).example(0).description(EXPLAINED.grace_days),
  terms_days: integer(0, 365).example(30).description(EXPLAINED.terms_days),
  agent_gate_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(100_000)
    .description(EXPLAINED.agent_gate_cents),
  agent_day_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(500_000)
    .description(EXPLAINED.agent_day_cents),
  ...letterheadPatch(),
}).meta({ className: 'SettingsPatch' });

export const settings = allRequired({
  time_zone: Joi.string().example('America/New_York').description(EXPLAINED.time_zone),
  tax_rate_bps: Joi.number().integer().example(825).description(EXPLAINED.tax_rate_bps),
  grace_days: Joi.number().integer().example(0).description(EXPLAINED.grace_days),
  terms_days: Joi.number().integer().example(30).description(EXPLAINED.terms_days),
  agent_gate_cents: cents().allow(null).example(100_000).description(EXPLAINED.agent_gate_cents),
  agent_day_cents: cents().allow(null).example(500_000).description(EXPLAINED.agent_day_cents),
  ...letterhead(),
  updated_at: dateTime(),
}).meta({ className: 'Settings' });
