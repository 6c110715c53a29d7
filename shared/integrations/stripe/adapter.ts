import type { TenantVendor } from '../contract/vendor.js';
import { callStripe } from './api/client.js';
import { inbound } from './api/inbound.js';
import { charges } from './charges.js';
import { disputes } from './disputes.js';
import { manifest } from './manifest.js';
import { pages } from './pages.js';
import { payouts } from './payouts.js';
import { refunds } from './refunds.js';
import { savedMethods } from './saved-methods.js';
import { terminal } from './terminal.js';

interface StripeAccount {
  id: string;
  email: string | null;
  business_profile?: { name: string | null } | null;
}

export const stripe: TenantVendor = {
  manifest,
  baseUrl: 'https://api.stripe.com',
  identityUrl: 'https://connect.stripe.com',
  filesUrl: 'https://files.stripe.com',
  readEnvironment: ({ secret_key: key = '' }) => readEnvironment(key),
  async describe(connection) {
    const account = await callStripe<StripeAccount>(connection, { method: 'GET', path: '/v1/account' });
    return {
      externalAccount: account.id,
      label: account.business_profile?.name ?? account.email,
      // Read the environment from the token of a sign-in here. The environment of a key was already
      // checked when a person entered the key.
      environment: connection.accessToken === undefined ? undefined : readEnvironment(connection.accessToken),
    };
  },
  payments: { pages, charges, refunds, disputes, payouts, savedMethods, terminal },
  inbound,
};

/** A key says whether it is a test key: `sk_test_…`, `rk_live_…`. */
function readEnvironment(key: string): 'live' | 'sandbox' {
  return /^.._test_/.test(key) ? 'sandbox' : 'live';
}
