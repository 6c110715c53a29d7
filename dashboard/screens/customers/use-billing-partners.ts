import { api } from '../../api/client';
import { useCan } from '../../api/session';
import { humanize } from '../../parts/record/status-badge';

export interface BillingPartner {
  /** The id of the connection. */
  id: string;
  name: string;
}

/**
 * Lists the connected partners that bill motor clubs. Only people with the permission `admin` may
 * read connections, so the list is empty for others.
 */
export function useBillingPartners(): BillingPartner[] {
  const isReadable = useCan('admin');
  const { data } = api.useQuery(
    'get',
    '/connections',
    { params: { query: { limit: 200 } } },
    { enabled: isReadable },
  );
  return (data?.data.items ?? [])
    .filter(({ kind, status }) => kind === 'motor_club' && status !== 'revoked')
    .map(({ id, label, vendor }) => ({ id, name: label ?? humanize(vendor) }));
}
