import Joi from 'joi';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired, integer, isDate, strictBoolean, text, uuid } from '../../contracts/schemas/fields.js';
import { type Field, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { rateCardItem, rateCardItemFields, rateCardItemInput } from './item-fields.js';

const MAX_ITEMS = 100;

export const date = () =>
  Joi.string()
    .custom((value: string, helpers) =>
      isDate(value)
        ? value
        : helpers.error('string.dateTime', { form: 'a date that exists, such as 2026-11-21' }),
    )
    .meta({ format: 'date' })
    .example('2026-01-01');

const timeOfDay = (example: string) =>
  Joi.string()
    .pattern(/^([01]\d|2[0-3]):[0-5]\d$/, 'be a time of day such as 18:00')
    .example(example);

export const cardName = () => text(100).example('Standard rates');

const windowKeys = () => ({
  start: timeOfDay('18:00'),
  end: timeOfDay('08:00'),
  weekends: strictBoolean().description('All of Saturday and Sunday counts as after hours').example(true),
});

const formatTimeOfDay = (column: string) => (alias: string) => `to_char(${alias}.${column}, 'HH24:MI')`;

const windowSql = {
  start: formatTimeOfDay('after_hours_start'),
  end: formatTimeOfDay('after_hours_end'),
  weekends: (alias: string) => `${alias}.after_hours_weekends`,
};

const afterHoursWindow: Field = {
  input: Joi.object({
    start: windowKeys().start.required(),
    end: windowKeys().end.required(),
    weekends: windowKeys().weekends.default(true),
  }).description(
    "In the account's time zone; compared with the time a job was dispatched, or else booked. Omitted: 18:00 to 08:00 and weekends",
  ),
  output: allRequired(windowKeys()),
  sql: (alias) =>
    jsonObject(alias, [
      { name: 'start', sql: windowSql.start(alias) },
      { name: '"end"', sql: windowSql.end(alias) },
      { name: 'weekends', sql: windowSql.weekends(alias) },
    ]),
  columns: { after_hours_start: 'time', after_hours_end: 'time', after_hours_weekends: 'boolean' },
  csv: [
    { name: 'after_hours_window_start', kind: 'plain', sql: windowSql.start },
    { name: 'after_hours_window_end', kind: 'plain', sql: windowSql.end },
    { name: 'after_hours_window_weekends', kind: 'boolean', sql: windowSql.weekends },
  ],
};

/**
 * Returns SQL for a column of the rate card's next version. The value is null if no next version
 * exists.
 */
function selectFromNextVersion(alias: string, column: string): string {
  return `(select n.${column} from rate_cards n where n.tenant_id = ${alias}.tenant_id and lower(n.name) = lower(${alias}.name)
    and n.version = ${alias}.version + 1)`;
}

export const rateCardFields = defineFields({
  id: recordId(),
  name: {
    input: cardName().description('Cards with the same name (ignoring case) are versions of one card'),
    isRequired: true,
    output: cardName(),
    columns: 'text',
    freeText: true,
  },
  version: {
    output: integer(1, Number.MAX_SAFE_INTEGER).example(1).description('Number of this version of the card'),
  },
  effective_from: {
    input: date().description(
      "First day, in the account's time zone. Not before that of the previous version; on the same day the newer version applies",
    ),
    isRequired: true,
    output: date(),
    columns: 'date',
  },
  effective_until: {
    output: date()
      .allow(null)
      .example(null)
      .description('First day of the next version, which replaces this one; null while there is none'),
    sql: (alias) => selectFromNextVersion(alias, 'effective_from'),
    columns: null,
  },
  superseded_by: {
    output: uuid().allow(null).example(null).description('The next version'),
    sql: (alias) => selectFromNextVersion(alias, 'id'),
    columns: null,
  },
  is_default: {
    input: strictBoolean()
      .description(
        'Prices jobs of customers without a card of their own. Omitted: as in the previous version. Of several, the latest effective_from applies',
      )
      .example(true),
    output: Joi.boolean().example(true),
    columns: 'boolean',
  },
  after_hours_window: afterHoursWindow,
  items: {
    input: Joi.array().items(rateCardItemInput).min(1).max(MAX_ITEMS),
    isRequired: true,
    output: Joi.array().items(rateCardItem),
    columns: 'jsonb',
    freeText: rateCardItemFields.freeTextNames,
  },
  created_at: time(),
});
