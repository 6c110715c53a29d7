import type Joi from 'joi';
import { parseDateTimeMs } from './fields.js';

const EARLIEST_DAY = '2000-01-01';
/** Checks are dated ahead, by months at most. */
const MAX_AHEAD_MS = 366 * 24 * 3_600_000;

const PAYMENT_PERIOD = `from ${EARLIEST_DAY} to a year from now`;

const checkPeriod: Joi.CustomValidator<string> = (value, helpers) => {
  const atMs = parseDateTimeMs(value);
  const isOutside = atMs < parseDateTimeMs(EARLIEST_DAY) || atMs > Date.now() + MAX_AHEAD_MS;
  // Another rule reports a text that is no date.
  return isOutside ? helpers.error('string.outOfPeriod', { period: PAYMENT_PERIOD }) : value;
};

/**
 * Limits a date or date-time to those at which a payment may arrive. Others have a mistyped year.
 * @param description what the time means
 */
export function asPaymentTime(schema: Joi.StringSchema, description: string): Joi.StringSchema {
  return schema
    .custom(checkPeriod)
    .meta({ isPaymentTime: true })
    .description(`${description}; ${PAYMENT_PERIOD}`);
}
