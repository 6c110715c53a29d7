import type { Inbound, TenantVendor } from '../contract/vendor.js';
import { assertLocation, callRoadSync } from './client.js';
import { motorClub } from './invoices.js';
import { manifest } from './manifest.js';

/** RoadSync sends no webhooks, so no request can be one. */
const inbound: Inbound = {
  isPerApplication: false,
  verify: () => false,
  split: () => [],
};

export const roadsync: TenantVendor = {
  manifest,
  baseUrl: 'https://api.roadsync.app',
  sandboxUrl: 'https://test.api.roadsync.app',
  async describe(connection) {
    assertLocation(connection);
    await callRoadSync(connection, { method: 'GET', path: '/', query: { offset: '0', limit: '1' } });
    // A key does not show to which company it belongs, nor whether the company is a real one.
    return {
      externalAccount: connection.credentials.company_id ?? '',
      label: null,
      environment: undefined,
    };
  },
  motorClub,
  inbound,
};
