import Joi from 'joi';

/** Matches text without control characters (C0, C1 and DEL). */
const CONTROL = /^\P{Cc}*$/u;
/**
 * Like CONTROL, but allows newline, carriage return and tab, for notes, descriptions and addresses.
 */
const CONTROL_BUT_LAYOUT = /^[\P{Cc}\n\r\t]*$/u;

/**
 * The name of both patterns above. It completes the error message "… must …" in
 * validation-messages.ts.
 */
const NO_CONTROLS = 'not contain control characters';

/** The OpenAPI document omits patterns with these names, because its readers do not need them. */
export const UNPUBLISHED_PATTERNS = [NO_CONTROLS];

/** A text in one line. */
export function text(max: number): Joi.StringSchema {
  return Joi.string().trim().max(max).pattern(CONTROL, NO_CONTROLS);
}

export function multilineText(max: number): Joi.StringSchema {
  return Joi.string().trim().max(max).pattern(CONTROL_BUT_LAYOUT, NO_CONTROLS);
}

export function uuid(): Joi.StringSchema {
  return Joi.string().guid({ separator: '-', wrapper: false }).lowercase();
}

/**
 * ASCII only, because `format: email` in OpenAPI means an ASCII address, and every mail provider
 * accepts ASCII.
 */
export function email(): Joi.StringSchema {
  return Joi.string()
    .trim()
    .email({ tlds: { allow: false }, allowUnicode: false })
    .max(254)
    .example('billing@example.com');
}

/** Not trimmed, because a password may begin or end with a blank. */
export function password(): Joi.StringSchema {
  return Joi.string().max(200).example('correct horse battery staple');
}

/**
 * A value of an open vocabulary. Any slug is valid; `defaults` are the published examples
 * (docs/decisions.md §2).
 */
export function slug(defaults: readonly string[]): Joi.StringSchema {
  return Joi.string()
    .trim()
    .pattern(
      /^[a-z][a-z0-9_]{0,63}$/,
      `be a slug of lower-case letters, digits and _, such as ${defaults[0]}`,
    )
    .description(`Open vocabulary. Published values: ${defaults.join(', ')}.`)
    .meta({ published: defaults })
    .example(defaults[0]);
}

/** Accepts up to 17 characters. A full VIN has 17 characters and no I, O or Q (ISO 3779). */
export function vin(): Joi.StringSchema {
  return text(17)
    .uppercase()
    .custom((value: string, helpers) =>
      value.length === 17 && /[IOQ]/.test(value) ? helpers.error('string.vin') : value,
    )
    .example('1HGCM82633A004352');
}

/**
 * Builds a list filter that accepts one word, or several joined by commas. The OpenAPI document
 * publishes a plain text, so that clients generated for a single word remain valid.
 */
export function oneOrMore(words: readonly string[]): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      value.split(',').every((word) => words.includes(word))
        ? value
        : helpers.error('any.only', { valids: words }),
    )
    .max(200)
    .meta({ published: words });
}

/** Returns the words of a filter that {@link oneOrMore} has checked, each once. */
export function splitWords(filter: string): string[] {
  return [...new Set(filter.split(','))];
}

export function coordinate(bound: number): Joi.NumberSchema {
  return Joi.number().strict().min(-bound).max(bound);
}

export function webUrl(): Joi.StringSchema {
  return Joi.string()
    .trim()
    .uri({ scheme: ['http', 'https'] })
    .max(2048)
    .example('https://files.example.com/photo.jpg');
}

// Accepts the offsets that PostgreSQL accepts, up to 15:59. The widest offset in use is +14:00.
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-](0\d|1[0-5]):[0-5]\d)$/;
// Responses use UTC, so a date-time must have a year of four digits in UTC too. LATEST_MS excludes
// fractions of the last second, because PostgreSQL may round them up to the next year.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59Z');

/** True for an RFC 3339 date-time on a day that exists, in the years 1 to 9999. */
export function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value);
  if (!match || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return false;
  const at = parseDateTimeMs(value);
  return at >= EARLIEST_MS && at <= LATEST_MS;
}

/**
 * Parses an RFC 3339 date-time to milliseconds since 1970. RFC 3339 allows lower-case `t` and `z`,
 * which Date.parse does not accept.
 */
export function parseDateTimeMs(dateTime: string): number {
  return Date.parse(dateTime.toUpperCase());
}

/**
 * Formats a date-time as responses show it. Use this before storing a date-time in a JSON column,
 * because PostgreSQL returns the text of such a column unchanged.
 */
export function toUtcDateTime(dateTime: string | null | undefined): string | null {
  return dateTime ? new Date(parseDateTimeMs(dateTime)).toISOString() : null;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a date that exists, such as `2026-02-28`. */
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

export function dateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) ? value : helpers.error('string.dateTime', { form: DATE_TIME_FORM }),
    )
    .meta({ format: 'date-time' })
    .example('2026-11-21T14:30:00Z');
}

/**
 * A date or date-time that limits a list to a period. A date means midnight in the tenant's time
 * zone (docs/decisions.md §5).
 */
export function dateOrDateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) || isDate(value)
        ? value
        : helpers.error('string.dateTime', { form: DATE_OR_DATE_TIME_FORM }),
    )
    .example('2026-11-01');
}

/**
 * Midnight of every day in this range has a four-digit year in UTC, whatever the account's time
 * zone.
 */
const EARLIEST_DAY = '0001-01-02';
const LATEST_DAY = '9999-12-30';

export function isSupportedDate(value: unknown): value is string {
  return typeof value === 'string' && isDate(value) && value >= EARLIEST_DAY && value <= LATEST_DAY;
}

/**
 * A day, as a date or a date-time. A date means midnight in the account's time zone
 * (docs/decisions.md §5).
 */
export function dayOrDateTime(): Joi.StringSchema {
  return Joi.string()
    .custom((value: string, helpers) =>
      isDateTime(value) || isSupportedDate(value)
        ? value
        : helpers.error('string.dateTime', { form: DATE_OR_DATE_TIME_FORM }),
    )
    .meta({ takesDay: true })
    .description("A date (midnight in the account's time zone) or an RFC 3339 date-time")
    .example('2026-12-21');
}

/** Accepts JSON numbers only. Text is not converted. */
export function integer(min: number, max: number): Joi.NumberSchema {
  return Joi.number().strict().integer().min(min).max(max);
}

export function cents(): Joi.NumberSchema {
  return Joi.number().strict().integer().example(12_500);
}

/** Accepts JSON booleans only. Text is not converted. */
export function strictBoolean(): Joi.BooleanSchema {
  return Joi.boolean().strict();
}

export function limit(max: number): Joi.NumberSchema {
  return Joi.number().integer().min(1).max(max).default(50).description('Page size');
}

export function cursor(): Joi.StringSchema {
  // Allow an empty cursor here, so that the cursor codec refuses it as `invalid_cursor`.
  return Joi.string().allow('').max(500).description('`data.cursor` of the page before');
}

/**
 * The sequence of a list, by one of the columns. Newest first is the default. The schema reads its
 * name as an absent parameter, so that both have the same query and the same cursors.
 */
export function sort(columns: readonly string[]): Joi.StringSchema {
  const words = ['-created_at', 'created_at', ...columns.flatMap((column) => [column, `-${column}`])];
  return Joi.string()
    .valid(...words)
    .empty('-created_at');
}

/**
 * Builds an object schema whose members are all required, so that clients need not distinguish
 * absent from null.
 */
export function allRequired(keys: Record<string, Joi.Schema>): Joi.ObjectSchema {
  return Joi.object(
    Object.fromEntries(Object.entries(keys).map(([key, schema]) => [key, schema.required()])),
  );
}
