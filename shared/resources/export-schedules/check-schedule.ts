import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import { fault, orderFaults, refuseFaults } from '../exports/check-order.js';
import { FILTERS } from '../exports/filters.js';

/**
 * Checks rules that involve several members of a schedule.
 * @returns the schedule to store: filters converted, plus the weekday or day that its cadence needs
 * and no other
 * @throws {AppError} 400 with every validation error
 */
export function checkSchedule<Schedule extends ExportScheduleCreate>(schedule: Schedule): Schedule {
  const { filters, errors } = orderFaults(schedule);
  refuseFaults([...errors, ...findDayErrors(schedule), ...findPeriodErrors(schedule)]);
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
    errors.push(fault('weekday', 'not_applicable', 'applies only when cadence is weekly'));
  if (day !== null && cadence !== 'monthly')
    errors.push(fault('day', 'not_applicable', 'applies only when cadence is monthly'));
  return errors;
}

function findPeriodErrors({ period, resource, filters }: ExportScheduleCreate): ErrorDetail[] {
  if (period === 'all') return [];
  if (!FILTERS[resource].has('since'))
    return [
      fault('period', 'not_applicable', `must be all for ${resource}, which has no since and until filters`),
    ];
  return ['since', 'until']
    .filter((name) => name in filters)
    .map((name) =>
      fault(`filters.${name}`, 'not_applicable', 'is set by period when period is previous; leave it out'),
    );
}
