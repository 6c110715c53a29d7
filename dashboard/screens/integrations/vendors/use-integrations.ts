import { api } from '../../../api/client';
import { humanize } from '../../../parts/record/status-badge';
import type { Connection } from './vendor-kinds';

/** Reads the vendors that an account can connect. They change only with a release. */
export function useIntegrations() {
  return api.useQuery('get', '/integrations', {}, { staleTime: 300_000 });
}

/**
 * Returns a vendor's entry in the catalogue. Returns undefined while the catalogue is being read,
 * and for a vendor without an entry.
 */
export function useIntegration(vendor: string) {
  const { data } = useIntegrations();
  return data?.data.items.find((integration) => integration.vendor === vendor);
}

/** Returns a function that returns a vendor's name for people. */
export function useVendorName(): (vendor: string) => string {
  const { data } = useIntegrations();
  return (vendor) => data?.data.items.find((one) => one.vendor === vendor)?.label ?? humanize(vendor);
}

/**
 * Returns a connection's name for people. A new connection has no label until the vendor has
 * answered.
 */
export function nameConnection(
  { label, vendor }: Connection,
  nameVendor: (vendor: string) => string,
): string {
  return label ?? nameVendor(vendor);
}
