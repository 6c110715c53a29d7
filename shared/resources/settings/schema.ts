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
    'Writes of agents that reach this total, within 24 hours and for one job or customer, wait for a person. null: none wait',
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
}).meta({ className: 'SettingsPatch' });

export const settings = allRequired({
  time_zone: Joi.string().example('America/New_York').description(EXPLAINED.time_zone),
  tax_rate_bps: Joi.number().integer().example(825).description(EXPLAINED.tax_rate_bps),
  grace_days: Joi.number().integer().example(0).description(EXPLAINED.grace_days),
  terms_days: Joi.number().integer().example(30).description(EXPLAINED.terms_days),
  agent_gate_cents: cents().allow(null).example(100_000).description(EXPLAINED.agent_gate_cents),
  updated_at: dateTime(),
}).meta({ className: 'Settings' });
