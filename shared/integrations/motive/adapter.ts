import { isObject, readId, readLine, type Unread } from '../contract/values/read-values.js';
import type { TenantVendor } from '../contract/vendor.js';
import { VendorError } from '../contract/vendor-error.js';
import { readMotive } from './api/client.js';
import { inbound } from './api/inbound.js';
import { listDrivers } from './drivers.js';
import { pullInspections } from './inspections.js';
import { manifest } from './manifest.js';
import { pullPositions } from './positions.js';
import { listVehicles } from './vehicles.js';

interface Company {
  id: number;
  name: string;
}

export const motive: TenantVendor = {
  manifest,
  baseUrl: 'https://api.gomotive.com',
  async describe(connection) {
    const { companies } = await readMotive<{ companies?: unknown }>(connection, '/v1/companies');
    const [first]: unknown[] = Array.isArray(companies) ? companies : [];
    const { company }: { company?: unknown } = isObject(first) ? first : {};
    const { id, name }: Unread<Company> = isObject(company) ? company : {};
    const externalAccount = readId(id);
    if (externalAccount === undefined)
      throw new VendorError('Motive did not name the company.', { kind: 'again', code: 'no_company' });
    // A key does not say whether the company is a real one.
    return { externalAccount, label: readLine(name, 200), environment: undefined };
  },
  telematics: { listVehicles, listDrivers, pullPositions, pullInspections },
  inbound,
};
