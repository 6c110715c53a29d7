import Joi from 'joi';
import { allRequired, cents, dateTime, integer } from '../../contracts/fields.js';
import { MAX_INVOICE_TOTAL_CENTS, MAX_TAX_RATE_BPS } from '../invoices/money.js';

/** True for a time zone that dates can be reckoned in. */
function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    // An offset is no zone: it knows no summer.
    return /^[A-Za-z]/.test(value);
  } catch {
    return false;
  }
}

const timeZone = () =>
  Joi.string()
    .max(64)
    .custom((value: string, helpers) => (isTimeZone(value) ? value : helpers.error('string.timeZone')))
    .meta({ format: 'time-zone' })
    .example('America/New_York');

export const settingsPatch = Joi.object({
  time_zone: timeZone().description('IANA name; what a plain date means, and when a due date ends'),
  tax_rate_bps: integer(0, MAX_TAX_RATE_BPS).example(825).description('Tax of new invoices in basis points'),
  grace_days: integer(0, 365).example(0).description('Days after the due date until an invoice is overdue'),
  terms_days: integer(0, 365).example(30).description('Terms of customers that have none of their own'),
  agent_gate_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(100_000)
    .description(
      "An agent's draft waits for a human once the key's drafts of 24 hours for its work order or its customer come to this; null: none does",
    ),
  agent_day_cents: integer(0, MAX_INVOICE_TOTAL_CENTS)
    .allow(null)
    .example(500_000)
    .description(
      "An agent's draft waits for a human once all drafts of the key within 24 hours come to this; null: none does",
    ),
}).meta({ className: 'SettingsPatch' });

export const settings = allRequired({
  time_zone: Joi.string().example('America/New_York'),
  tax_rate_bps: Joi.number().integer().example(825),
  grace_days: Joi.number().integer().example(0),
  terms_days: Joi.number().integer().example(30),
  agent_gate_cents: cents().allow(null).example(100_000),
  agent_day_cents: cents().allow(null).example(500_000),
  updated_at: dateTime(),
}).meta({ className: 'Settings' });
