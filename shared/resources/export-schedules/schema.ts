import Joi from 'joi';
import { allRequired, cursor, dateTime, flag, integer, limit, uuid } from '../../contracts/fields.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { newOrder, orderMembers } from '../exports/order-fields.js';
import { CADENCES, PERIODS, WEEKDAYS } from './vocabulary.js';

/** In the night, and after every hour that summer time takes away or gives twice. */
const DEFAULT_HOUR = 4;

export const exportCadence = namedEnum('ExportCadence', CADENCES, {
  daily: 'Every day',
  weekly: 'Once a week, on `weekday`',
  monthly: 'Once a month, on `day`',
});

export const exportPeriod = namedEnum('ExportPeriod', PERIODS, {
  all: 'Every row that the filters leave',
  previous: 'Of these, the rows of the day, week (from Monday) or month before',
});

const hour = () =>
  integer(0, 23)
    .example(4)
    .description(
      "In the account's time zone. An hour that a day does not have comes as much later as clocks are put forward; of one that it has twice, the second",
    );
const weekday = () =>
  Joi.string()
    .valid(...WEEKDAYS)
    .allow(null)
    .example(null)
    .description('weekly: the day; monday when left out. Otherwise null');
const day = () =>
  integer(1, 31)
    .allow(null)
    .example(null)
    .description(
      'monthly: the day, or the last one of a month that is shorter; 1 when left out. Otherwise null',
    );
const period = () =>
  exportPeriod.description(
    'previous goes by the date_field of the filters, in place of since and until; only for resources whose list has both',
  );

const timing = () => ({
  cadence: exportCadence,
  hour: hour(),
  weekday: weekday(),
  day: day(),
  period: period(),
  enabled: flag(),
});

export const exportSchedule = allRequired({
  id: uuid(),
  ...orderMembers(),
  ...timing(),
  next_run_at: dateTime().allow(null).description('null: it is disabled'),
  last_run_at: dateTime().allow(null),
  last_export_id: uuid().allow(null).description('What the last run made, while it is kept'),
  created_at: dateTime(),
  updated_at: dateTime(),
}).meta({ className: 'ExportSchedule' });

export const exportScheduleCreate = Joi.object({
  ...newOrder(),
  ...timing(),
  cadence: exportCadence.required(),
  hour: hour().default(DEFAULT_HOUR),
  period: period().default('all'),
  enabled: flag().default(true),
}).meta({ className: 'ExportScheduleCreate' });

export const exportSchedulePatch = Joi.object({ ...orderMembers(), ...timing() }).meta({
  className: 'ExportSchedulePatch',
});

/** A deletion needs no more than its path. */
export const exportScheduleDelete = Joi.object({}).meta({ className: 'ExportScheduleDelete' });

export const exportScheduleListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'ExportScheduleListQuery',
});
