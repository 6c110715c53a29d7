import { CustomerName, DriverName, TruckName } from '../choices/record-names';
import { formatCents } from '../values/money';
import { describeSummary } from '../values/summary';
import { ExactTime } from '../values/time';
import { humanize } from './status-badge';

/** Names of fields whose values are words of the API, such as `in_progress`. */
const WORDS = /(^|_)(status|step|type|reason|kind|method)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/**
 * Shows the value of a changed field to people: names instead of ids, and times in the account's
 * time zone.
 */
export function ChangeValue({ field, value }: { field: string; value: unknown }) {
  if (value === null || value === undefined || value === '') return <>empty</>;
  if (typeof value === 'object') return <>{describeSummary(value)}</>;
  if (typeof value === 'number' && field.endsWith('_cents')) return <>{formatCents(value)}</>;
  const text = String(value);
  if (field === 'customer_id') return <CustomerName id={text} />;
  if (field === 'truck_id') return <TruckName id={text} />;
  if (field === 'driver_id') return <DriverName id={text} />;
  if (TIME.test(text)) return <ExactTime at={text} />;
  if (WORDS.test(field)) return <>{/^[a-z0-9_]+$/.test(text) ? humanize(text) : text}</>;
  return <>{text}</>;
}
