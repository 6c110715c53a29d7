import { formatCents } from './money';

/**
 * Describes a value of the audit log that is no text or number. A list of records comes as
 * `{ count, names, total_cents }`, and reads "2: Tow, Mileage ($221.25)".
 */
export function describeSummary(value: object): string {
  const { count, names, total_cents: cents } = value as Record<string, unknown>;
  if (typeof count !== 'number') return JSON.stringify(value);
  const listed = Array.isArray(names) && names.length > 0 ? `: ${names.join(', ')}` : '';
  return `${count}${listed}${typeof cents === 'number' ? ` (${formatCents(cents)})` : ''}`;
}
