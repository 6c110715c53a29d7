import type { Schemas } from '../../../api/records';
import { humanize } from '../../../parts/record/status-badge';

/** Returns the name of a saved payment method: "Visa ending in 4242". */
export function nameSavedMethod({ brand, last4, type }: Schemas['SavedMethod']): string {
  if (type === 'unknown') return 'Not entered yet';
  return `${humanize(brand ?? type)} ending in ${last4 ?? '?'}`;
}
