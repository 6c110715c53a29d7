import Joi from 'joi';
import { dateTime, integer, strictBoolean, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { EXPORT_REQUEST_FIELDS, withDefault } from '../exports/request/export-request-fields.js';
import { exportCadence, exportPeriod } from './enums.js';
import { WEEKDAYS } from './vocabulary.js';

/**
 * The default hour of a run. It is at night, but after all hours that a daylight-saving change
 * skips or repeats.
 */
const DEFAULT_HOUR = 4;

const hour = () =>
  integer(0, 23)
    .example(4)
    .description(
      "In the account's time zone. If a clock change skips the hour, the run is later by the length of the change; if the hour occurs twice, it runs at the second",
    );
const weekday = () =>
  Joi.string()
    .valid(...WEEKDAYS)
    .allow(null)
    .example(null)
    .description('The day of a weekly schedule; default monday. Null for other cadences');
const day = () =>
  integer(1, 31)
    .allow(null)
    .example(null)
    .description(
      'The day of a monthly schedule, or the last day of a shorter month; default 1. Null for other cadences',
    );
const period = () =>
  exportPeriod.description(
    'previous sets since and until for the date_field of the filters; only for resources whose list has both filters',
  );

export const exportScheduleFields = defineFields({
  id: recordId(),
  ...EXPORT_REQUEST_FIELDS,
  cadence: { input: exportCadence, isRequired: true, columns: 'text' },
  hour: withDefault(hour(), DEFAULT_HOUR, 'smallint'),
  weekday: { input: weekday(), columns: 'text' },
  day: { input: day(), columns: 'smallint' },
  period: withDefault(period(), 'all', 'text'),
  enabled: withDefault(strictBoolean(), true, 'boolean'),
  next_run_at: time(dateTime().allow(null).description('Null while the schedule is disabled')),
  last_run_at: time(dateTime().allow(null)),
  last_export_id: {
    output: uuid().allow(null).description('The export of the last run, while it is kept'),
  },
  created_at: time(),
  updated_at: time(),
});
