import { namedEnum } from '../../contracts/named-enum.js';
import { EXPORT_CADENCES, EXPORT_PERIODS } from './vocabulary.js';

export const exportCadence = namedEnum('ExportCadence', EXPORT_CADENCES, {
  daily: 'Every day',
  weekly: 'Once a week, on `weekday`',
  monthly: 'Once a month, on `day`',
});

export const exportPeriod = namedEnum('ExportPeriod', EXPORT_PERIODS, {
  all: 'Every row that matches the filters',
  previous: 'Of these, the rows of the previous day, week (from Monday) or month',
});
