import { formatCents } from './money';

/**
 * Describes an object in the audit log as text. For a list of records, the log contains `{ count,
 * names, total_cents }`, and the result is "2: Tow, Mileage ($221.25)".
 */
export function describeSummary(value: object): string {
  const { count, names, total_cents: cents } = value as Record<string, unknown>;
  if (typeof count !== 'number') return JSON.stringify(value);
  const listed = Array.isArray(names) && names.length > 0 ? `: ${names.join(', ')}` : '';
  return `${count}${listed}${typeof cents === 'number' ? ` (${formatCents(cents)})` : ''}`;
}
