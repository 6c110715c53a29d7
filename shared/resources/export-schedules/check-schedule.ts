import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import { fault, orderFaults, refuseFaults } from '../exports/check-order.js';
import { FILTERS } from '../exports/filters.js';

/**
 * What no single member tells: whether they go together. @returns the schedule as it is stored: filters converted, the day that its cadence needs, and no other
 * @throws {AppError} 400 with every fault
 */
export function checkSchedule<Schedule extends ExportScheduleCreate>(schedule: Schedule): Schedule {
  const { filters, faults } = orderFaults(schedule);
  refuseFaults([...faults, ...dayFaults(schedule), ...periodFaults(schedule)]);
  const { cadence, weekday, day } = schedule;
  return {
    ...schedule,
    filters,
    weekday: cadence === 'weekly' ? (weekday ?? 'monday') : null,
    day: cadence === 'monthly' ? (day ?? 1) : null,
  };
}

function dayFaults({ cadence, weekday = null, day = null }: ExportScheduleCreate): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  if (weekday !== null && cadence !== 'weekly')
    faults.push(fault('weekday', 'not_applicable', 'is for weekly only'));
  if (day !== null && cadence !== 'monthly')
    faults.push(fault('day', 'not_applicable', 'is for monthly only'));
  return faults;
}

function periodFaults({ period, resource, filters }: ExportScheduleCreate): ErrorDetail[] {
  if (period === 'all') return [];
  if (!FILTERS[resource].has('since'))
    return [
      fault('period', 'not_applicable', `must be all for ${resource}: its list has no since and until`),
    ];
  return ['since', 'until']
    .filter((name) => name in filters)
    .map((name) => fault(`filters.${name}`, 'not_applicable', 'is what period says when it is previous'));
}
