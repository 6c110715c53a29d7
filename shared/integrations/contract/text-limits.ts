import Joi from 'joi';

/**
 * Hours of the day, in the account's time zone, in which texts wait: for example 21:00 to 08:00.
 */
export interface QuietHours {
  from: string;
  to: string;
}

/**
 * The limits that a connection's settings set for texts: when the service sends them, and what they
 * may cost.
 */
export interface TextLimits {
  quietHours: QuietHours | undefined;
  /** Number of text segments that the daily cost limit allows; undefined if there is no limit. */
  segmentsPerDay: number | undefined;
}

/**
 * Cents per text segment if the account has set no price. Twilio and the US carriers together
 * charge about this much. Vendors report the price of a text only after they have sent it.
 */
const USUAL_SEGMENT_PRICE_CENTS = 1.3;
/**
 * Added to a quotient before it is rounded down. With 1.3 cents per segment, 65 cents must pay for
 * 50 segments. The floating-point result of 65 / 1.3 may be slightly below 50.
 */
const ROUNDING = 1e-9;

const timeOfDay = () => Joi.string().pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'time of day such as 21:00');

/** The settings of a vendor of texts. `readTextLimits` reads them. */
export const textLimitSettings = () => ({
  quiet_hours: Joi.object({
    from: timeOfDay().required().example('21:00'),
    to: timeOfDay().required().invalid(Joi.ref('from')).example('08:00'),
  })
    .description(
      'Texts about jobs and bills wait until the end of these hours, in the time zone of the account',
    )
    .messages({ 'any.invalid': '{{#label}} must differ from from' }),
  daily_limit_cents: Joi.number()
    .integer()
    .min(1)
    .max(10_000_000)
    .description('What the texts of one day of the account may cost. Further texts fail')
    .example(500),
  segment_price_cents: Joi.number()
    .greater(0)
    .max(1000)
    .description(
      `What one segment costs, for daily_limit_cents. Without it: ${USUAL_SEGMENT_PRICE_CENTS} cents`,
    )
    .example(USUAL_SEGMENT_PRICE_CENTS),
});

/** Reads the settings of a connection, which {@link textLimitSettings} has checked. */
export function readTextLimits(settings: Readonly<Record<string, unknown>>): TextLimits {
  const {
    quiet_hours: quietHours,
    daily_limit_cents: limitCents,
    segment_price_cents: priceCents = USUAL_SEGMENT_PRICE_CENTS,
  } = settings as { quiet_hours?: QuietHours; daily_limit_cents?: number; segment_price_cents?: number };
  return {
    quietHours,
    segmentsPerDay: limitCents === undefined ? undefined : Math.floor(limitCents / priceCents + ROUNDING),
  };
}
