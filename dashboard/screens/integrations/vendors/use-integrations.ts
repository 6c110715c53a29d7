import { api } from '../../../api/client';
import { humanize } from '../../../parts/record/status-badge';
import type { Connection } from './vendor-kinds';

/** Reads the vendors that can be connected. They change only with a release. */
export function useIntegrations() {
  return api.useQuery('get', '/integrations', {}, { staleTime: 300_000 });
}

/**
 * Returns the catalogue's entry of a vendor; undefined while it is read, and for one without entry.
 */
export function useIntegration(vendor: string) {
  const { data } = useIntegrations();
  return data?.data.items.find((integration) => integration.vendor === vendor);
}

/** Returns a function that says how people call a vendor. */
export function useVendorName(): (vendor: string) => string {
  const { data } = useIntegrations();
  return (vendor) => data?.data.items.find((one) => one.vendor === vendor)?.label ?? humanize(vendor);
}

/** Names a connection for people. A new connection has no label until the vendor has answered. */
export function nameConnection(
  { label, vendor }: Connection,
  nameVendor: (vendor: string) => string,
): string {
  return label ?? nameVendor(vendor);
}
