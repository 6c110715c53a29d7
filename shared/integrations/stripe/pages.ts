import type { OpenConnection } from '../contract/connection.js';
import type { PayPages } from '../contract/payments.js';
import type { OpenedPage } from '../contract/readings.js';
import { VendorError } from '../contract/vendor-error.js';
import { callStripe } from './api/client.js';
import { toCheckoutSession } from './mapper.js';

export interface CheckoutSession {
  id: string;
  url: string | null;
  status: string | null;
  expires_at: number;
}

/** A pay page is a Checkout Session, which Stripe hosts. */
export const pages: PayPages = {
  async open(connection, page, { operationKey, firstAttemptAt }) {
    const session = await callStripe<CheckoutSession>(connection, {
      method: 'POST',
      path: '/v1/checkout/sessions',
      form: toCheckoutSession(page, connection.settings.methods, firstAttemptAt),
      key: operationKey,
    });
    return toOpenedPage(session);
  },
  async close(connection, externalId) {
    const path = `/v1/checkout/sessions/${encodeURIComponent(externalId)}`;
    const session = await callStripe<CheckoutSession>(connection, { method: 'GET', path });
    if (session.status !== 'open') return false;
    return expire(connection, path, externalId);
  },
};

/** @throws {VendorError} if Stripe returned no URL for the page */
export function toOpenedPage({ id, url, expires_at }: CheckoutSession): OpenedPage {
  if (url === null)
    throw new VendorError('Stripe opened a page without an address.', { kind: 'refused', code: 'no_url' });
  return { externalId: id, version: null, url, expiresAt: new Date(expires_at * 1000).toISOString() };
}

/** Returns false if Stripe refuses, because the customer has paid after the page was read. */
async function expire(connection: OpenConnection, path: string, externalId: string): Promise<boolean> {
  try {
    await callStripe(connection, { method: 'POST', path: `${path}/expire`, key: `expire-${externalId}` });
    return true;
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'refused') return false;
    throw error;
  }
}
