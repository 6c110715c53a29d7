import type { TenantVendor } from '../contract/vendor.js';
import { VendorError } from '../contract/vendor-error.js';
import { readSamsara } from './api/client.js';
import { inbound } from './api/inbound.js';
import { listDrivers } from './drivers.js';
import { pullInspections } from './inspections.js';
import { manifest } from './manifest.js';
import { pullPositions } from './positions.js';
import { listVehicles } from './vehicles.js';

interface Organisation {
  data?: { id?: string; name?: string };
}

export const samsara: TenantVendor = {
  manifest,
  baseUrl: 'https://api.samsara.com',
  async describe(connection) {
    const { data } = await readSamsara<Organisation>(connection, '/me');
    if (!data?.id)
      throw new VendorError('Samsara did not name the organisation.', {
        kind: 'again',
        code: 'no_organisation',
      });
    // A token does not say whether the organisation is a real one.
    return { externalAccount: String(data.id), label: data.name ?? null, environment: undefined };
  },
  telematics: { listVehicles, listDrivers, pullPositions, pullInspections },
  inbound,
};
