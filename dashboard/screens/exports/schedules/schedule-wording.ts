import type { Schemas } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';
import { nameExport } from '../request/export-wording';

export type Schedule = Schemas['ExportSchedule'];

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Schedule['weekday'][];

/** Returns a name for a schedule: "Invoices as CSV, weekly". */
export function nameSchedule(schedule: Schedule): string {
  return `${nameExport(schedule)}, ${schedule.cadence}`;
}

/** Formats an hour of the day: 16 is "4 PM". */
export function formatHour(hour: number): string {
  return `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** Describes when a schedule runs: "Every Monday at 4 AM". */
export function describeCadence({ cadence, weekday, day, hour }: Schedule): string {
  const at = `at ${formatHour(hour)}`;
  if (cadence === 'daily') return `Every day ${at}`;
  if (cadence === 'weekly') return `Every ${humanize(weekday ?? 'monday')} ${at}`;
  return `On day ${day ?? 1} of each month ${at}`;
}

const BEFORE = { daily: 'day', weekly: 'week', monthly: 'month' };

/** Describes which rows each export contains: "Those of the day before". */
export function describePeriod({
  period,
  cadence,
}: Pick<Schedule, 'period' | 'cadence'>): string | undefined {
  return period === 'previous' ? `The previous ${BEFORE[cadence]}` : undefined;
}
