import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cursor,
  dateTime,
  integer,
  limit,
  strictBoolean,
  uuid,
} from '../../contracts/schemas/fields.js';
import { exportRequestFields, newExportRequestFields } from '../exports/request/export-request-fields.js';
import { EXPORT_CADENCES, EXPORT_PERIODS, WEEKDAYS } from './vocabulary.js';

/** At night, and later than any hour that a clock change skips or repeats. */
const DEFAULT_HOUR = 4;

export const exportCadence = namedEnum('ExportCadence', EXPORT_CADENCES, {
  daily: 'Every day',
  weekly: 'Once a week, on `weekday`',
  monthly: 'Once a month, on `day`',
});

export const exportPeriod = namedEnum('ExportPeriod', EXPORT_PERIODS, {
  all: 'Every row that matches the filters',
  previous: 'Of these, the rows of the previous day, week (from Monday) or month',
});

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

const timing = () => ({
  cadence: exportCadence,
  hour: hour(),
  weekday: weekday(),
  day: day(),
  period: period(),
  enabled: strictBoolean(),
});

export const exportSchedule = allRequired({
  id: uuid(),
  ...exportRequestFields(),
  ...timing(),
  next_run_at: dateTime().allow(null).description('Null while the schedule is disabled'),
  last_run_at: dateTime().allow(null),
  last_export_id: uuid().allow(null).description('The export of the last run, while it is kept'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'ExportSchedule' });

export const exportScheduleCreate = Joi.object({
  ...newExportRequestFields(),
  ...timing(),
  cadence: exportCadence.required(),
  hour: hour().default(DEFAULT_HOUR),
  period: period().default('all'),
  enabled: strictBoolean().default(true),
}).meta({ className: 'ExportScheduleCreate' });

export const exportSchedulePatch = Joi.object({ ...exportRequestFields(), ...timing() }).meta({
  className: 'ExportSchedulePatch',
});

/** DELETE has no body. */
export const exportScheduleDelete = Joi.object({}).meta({ className: 'ExportScheduleDelete' });

export const exportScheduleListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'ExportScheduleListQuery',
});
