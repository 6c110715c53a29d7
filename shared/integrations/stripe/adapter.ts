import type { TenantVendor } from '../contract/vendor.js';
import { charges } from './charges.js';
import { callStripe } from './client.js';
import { disputes } from './disputes.js';
import { inbound } from './inbound.js';
import { manifest } from './manifest.js';
import { pages } from './pages.js';
import { refunds } from './refunds.js';
import { terminal } from './terminal.js';

interface StripeAccount {
  id: string;
  email: string | null;
  business_profile?: { name: string | null } | null;
}

export const stripe: TenantVendor = {
  manifest,
  baseUrl: 'https://api.stripe.com',
  readEnvironment: ({ secret_key: key = '' }) => readEnvironment(key),
  async describe(connection) {
    const account = await callStripe<StripeAccount>(connection, { method: 'GET', path: '/v1/account' });
    return {
      externalAccount: account.id,
      label: account.business_profile?.name ?? account.email,
      // The key itself says whether the account is live.
      environment: undefined,
    };
  },
  payments: { pages, charges, refunds, disputes, terminal },
  inbound,
};

/** A key says whether it is a test key: `sk_test_…`, `rk_live_…`. */
function readEnvironment(key: string): 'live' | 'sandbox' {
  return /^.._test_/.test(key) ? 'sandbox' : 'live';
}
