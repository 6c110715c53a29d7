import type { Schemas } from '../../../api/records';

type Hour = Schemas['OverviewHour'];

/**
 * Formats the starts of hours in the account's time zone: "2 PM", or "2:30 PM" in a time zone whose
 * offset includes half an hour.
 */
export function formatHours(hours: readonly Hour[], timeZone: string): string[] {
  const options = { timeZone, hour: 'numeric', minute: '2-digit' } as const;
  return hours.map(({ hour }) => new Date(hour).toLocaleTimeString('en-US', options).replace(':00', ''));
}

/** Adds up the counts of all hours. */
export function sumOf(
  hours: readonly Hour[],
  name: 'work_orders' | 'deliveries_succeeded' | 'deliveries_failed',
): number {
  return hours.reduce((sum, hour) => sum + hour[name], 0);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
