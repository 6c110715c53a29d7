import type { TenantVendor } from '../contract/vendor.js';
import { inbound } from './api/inbound.js';
import { describe, endAccess } from './api/organisations.js';
import { listChoices } from './choices.js';
import { customers } from './contacts.js';
import { invoices } from './invoices.js';
import { manifest } from './manifest.js';
import { payments } from './payments.js';

export const xero: TenantVendor = {
  manifest,
  baseUrl: 'https://api.xero.com',
  identityUrl: 'https://identity.xero.com',
  signInUrl: 'https://login.xero.com',
  describe,
  endAccess,
  accounting: { customers, invoices, payments, listChoices },
  inbound,
};
