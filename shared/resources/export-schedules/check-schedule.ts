import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import {
  createFieldError,
  findExportRequestErrors,
  throwValidationErrors,
} from '../exports/request/check-export-request.js';
import { EXPORT_FILTERS } from '../exports/request/filters.js';

/**
 * Checks the rules that involve several members. A weekly schedule without a weekday gets monday,
 * and a monthly schedule without a day gets 1.
 * @throws {AppError} 400 with every validation error
 */
export function checkSchedule<Schedule extends ExportScheduleCreate>(schedule: Schedule): Schedule {
  const { filters, errors } = findExportRequestErrors(schedule);
  throwValidationErrors([...errors, ...findDayErrors(schedule), ...findPeriodErrors(schedule)]);
  const { cadence, weekday, day } = schedule;
  return {
    ...schedule,
    filters,
    weekday: cadence === 'weekly' ? (weekday ?? 'monday') : null,
    day: cadence === 'monthly' ? (day ?? 1) : null,
  };
}

function findDayErrors({ cadence, weekday = null, day = null }: ExportScheduleCreate): ErrorDetail[] {
  const errors: ErrorDetail[] = [];
  if (weekday !== null && cadence !== 'weekly')
    errors.push(createFieldError('weekday', 'not_applicable', 'applies only when cadence is weekly'));
  if (day !== null && cadence !== 'monthly')
    errors.push(createFieldError('day', 'not_applicable', 'applies only when cadence is monthly'));
  return errors;
}

function findPeriodErrors({ period, resource, filters }: ExportScheduleCreate): ErrorDetail[] {
  if (period === 'all') return [];
  if (!EXPORT_FILTERS[resource].has('since'))
    return [
      createFieldError(
        'period',
        'not_applicable',
        `must be all for ${resource}, which has no since and until filters`,
      ),
    ];
  return ['since', 'until']
    .filter((name) => name in filters)
    .map((name) =>
      createFieldError(
        `filters.${name}`,
        'not_applicable',
        'is set by period when period is previous; leave it out',
      ),
    );
}
