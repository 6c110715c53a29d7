import Joi from 'joi';

/** Characters no text may hold: C0 and C1 controls and DEL. */
const CONTROL = /^\P{Cc}*$/u;
/** The same, but newline, carriage return and tab are kept (notes, descriptions, addresses). */
const CONTROL_BUT_LAYOUT = /^[\P{Cc}\n\r\t]*$/u;

/** A pattern's name is what its message says after "must" (see messages.ts). */
const NO_CONTROLS = 'not contain control characters';

/** Patterns with these names are checks a reader of the document need not see. */
export const UNPUBLISHED_PATTERNS = [NO_CONTROLS];

/** One line of text, trimmed, of at most `max` characters. */
export function text(max: number): Joi.StringSchema {
  return Joi.string().trim().max(max).pattern(CONTROL, NO_CONTROLS);
}

/** Text over several lines. */
export function multilineText(max: number): Joi.StringSchema {
  return Joi.string().trim().max(max).pattern(CONTROL_BUT_LAYOUT, NO_CONTROLS);
}

export function uuid(): Joi.StringSchema {
  return Joi.string().guid({ separator: '-', wrapper: false }).lowercase();
}

/** ASCII only: that is what `format: email` publishes, and what every mail provider takes. */
export function email(): Joi.StringSchema {
  return Joi.string()
    .trim()
    .email({ tlds: { allow: false }, allowUnicode: false })
    .max(254)
    .example('billing@example.com');
}

/** Taken as it is: blanks at its ends and any character may be part of a password. */
export function password(): Joi.StringSchema {
  return Joi.string().max(200).example('correct horse battery staple');
}

/** An open vocabulary: any slug is stored, the published defaults are examples (decisions 2). */
export function slug(defaults: readonly string[]): Joi.StringSchema {
  return Joi.string()
    .trim()
    .pattern(
      /^[a-z][a-z0-9_]{0,63}$/,
      `be a slug of lower-case letters, digits and _, such as ${defaults[0]}`,
    )
    .description(`Open vocabulary. Published values: ${defaults.join(', ')}.`)
    .example(defaults[0]);
}

/** Upper-cased, 17 characters at most; a full VIN holds no I, O or Q (ISO 3779). */
export function vin(): Joi.StringSchema {
  return text(17)
    .uppercase()
    .custom((value: string, helpers) =>
      value.length === 17 && /[IOQ]/.test(value) ? helpers.error('string.vin') : value,
    )
    .example('1HGCM82633A004352');
}

/** Degrees between `-bound` and `bound`. */
export function coordinate(bound: number): Joi.NumberSchema {
  return Joi.number().strict().min(-bound).max(bound);
}

/** An address that a browser can open. */
export function webUrl(): Joi.StringSchema {
  return Joi.string()
    .trim()
    .uri({ scheme: ['http', 'https'] })
    .max(2048)
    .example('https://files.example.com/photo.jpg');
}

// PostgreSQL takes offsets up to 15:59; the widest in use is +14:00.
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-](0\d|1[0-5]):[0-5]\d)$/;
// Answers are in UTC, where an instant must still have a year of four digits, even if its fraction is rounded up.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59Z');

/** True for an RFC 3339 date-time on a day that exists, in the years 1 to 9999. */
export function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value);
  if (!match || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return false;
  const at = instantOf(value);
  return at >= EARLIEST_MS && at <= LATEST_MS;
}

/** A date-time in ms; RFC 3339 allows `t` and `z`, which Date.parse does not know. */
export function instantOf(dateTime: string): number {
  return Date.parse(dateTime.toUpperCase());
}

/** A date-time as every answer writes it: a JSON column keeps the text it is given. */
export function asInstant(dateTime: string | null | undefined): string | null {
  return dateTime ? new Date(instantOf(dateTime)).toISOString() : null;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a date (`2026-02-28`) that exists. */
export function isDate(value: string): boolean {
  const match = DATE.exec(value);
  return match !== null && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

const DATE_TIME_FORM = 'an RFC 3339 date-time with an offset, such as 2026-11-21T14:30:00Z';
const DATE_OR_DATE_TIME_FORM = 'a date (2026-11-21) or an RFC 3339 date-time (2026-11-21T14:30:00Z)';

/** An RFC 3339 date-time with an offset. */
export function dateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) ? value : helpers.error('string.dateTime', { form: DATE_TIME_FORM }),
    )
    .meta({ format: 'date-time' })
    .example('2026-11-21T14:30:00Z');
}

/** A query's bound in time: a date (the tenant's midnight) or a date-time (decisions 5). */
export function dateOrDateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) || isDate(value)
        ? value
        : helpers.error('string.dateTime', { form: DATE_OR_DATE_TIME_FORM }),
    )
    .example('2026-11-01');
}

/** Days whose midnight has a year of four digits in every time zone, in UTC too. */
const EARLIEST_DAY = '0001-01-02';
const LATEST_DAY = '9999-12-30';

/** True for a plain date that {@link dayOrDateTime} takes. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && isDate(value) && value >= EARLIEST_DAY && value <= LATEST_DAY;
}

/**
 * A member that means a day: a date (midnight in the account's time zone) or a date-time (decisions
 * 5).
 */
export function dayOrDateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) || isDay(value)
        ? value
        : helpers.error('string.dateTime', { form: DATE_OR_DATE_TIME_FORM }),
    )
    .meta({ takesDay: true })
    .description("A date (midnight in the account's time zone) or an RFC 3339 date-time")
    .example('2026-12-21');
}

/** A JSON integer; no text is converted. */
export function integer(min: number, max: number): Joi.NumberSchema {
  return Joi.number().strict().integer().min(min).max(max);
}

/** Integer cents in a response. */
export function cents(): Joi.NumberSchema {
  return Joi.number().strict().integer().example(12_500);
}

export function flag(): Joi.BooleanSchema {
  return Joi.boolean().strict();
}

/** Page size of a list, 1 to `max`. */
export function limit(max: number): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(max).default(50).description('Page size');
}

export function cursor(): Joi.StringSchema {
  // An empty one is let through to the codec: it is a broken cursor, and told as such.
  return Joi.string().allow('').max(500).description('`data.cursor` of the page before');
}

/** Every member of a read schema is present, so a client need not tell absent from null. */
export function allRequired(keys: Record<string, Joi.Schema>): Joi.ObjectSchema {
  return Joi.object(
    Object.fromEntries(Object.entries(keys).map(([key, schema]) => [key, schema.required()])),
  );
}
