import type { TenantVendor } from '../contract/vendor.js';
import { VendorError } from '../contract/vendor-error.js';
import { getRealm, readRecord } from './api/client.js';
import { inbound } from './api/inbound.js';
import { listChoices } from './choices.js';
import { customers } from './customers.js';
import { invoices } from './invoices.js';
import { manifest } from './manifest.js';
import { payments } from './payments.js';

export const quickbooks: TenantVendor = {
  manifest,
  baseUrl: 'https://quickbooks.api.intuit.com',
  sandboxUrl: 'https://sandbox-quickbooks.api.intuit.com',
  identityUrl: 'https://oauth.platform.intuit.com',
  signInUrl: 'https://appcenter.intuit.com',
  revokeUrl: 'https://developer.api.intuit.com',
  async describe(connection) {
    const realm = getRealm(connection);
    const company = await readRecord<{ CompanyName?: string }>(connection, 'CompanyInfo', realm);
    if (!company)
      throw new VendorError('The company does not exist. Connect again.', {
        kind: 'auth',
        code: 'no_company',
      });
    // Live and sandbox companies have different addresses, so the one that answered was right.
    return { externalAccount: realm, label: company.CompanyName ?? null, environment: undefined };
  },
  accounting: { customers, invoices, payments, listChoices },
  inbound,
};
