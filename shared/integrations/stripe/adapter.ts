import type { Change, OpenConnection, Page, PullStart } from '../contract/connection.js';
import type { WriteAttempt } from '../contract/messaging.js';
import type { OpenedPayPage, PaymentState, PaymentsAdapter, PayPage } from '../contract/payments.js';
import type { TenantVendor } from '../contract/vendor.js';
import { VendorError } from '../contract/vendor-error.js';
import { callStripe } from './client.js';
import { inbound } from './inbound.js';
import { manifest } from './manifest.js';
import { EXPANDED_CHARGE, type PaymentIntent, toCheckoutSession, toPaymentChange } from './mapper.js';

interface CheckoutSession {
  id: string;
  url: string | null;
  status: string | null;
  expires_at: number;
}

interface List<T> {
  data: T[];
  has_more: boolean;
}

const PAGE_SIZE = 100;
/** A pull reads again what was created this long before its cursor, because lists lag behind. */
const OVERLAP_SECONDS = 120;
/** The first pull of a connection looks this far back. */
const FIRST_PULL_SECONDS = 86_400;

const payments: PaymentsAdapter = {
  openPayPage,
  closePayPage,
  readPayments: (connection, hints) =>
    Promise.all(hints.map((id) => readPayment(connection, id))).then(keepFound),
  pull: pullPayments,
};

export const stripe: TenantVendor = {
  manifest,
  baseUrl: 'https://api.stripe.com',
  readEnvironment: ({ secret_key: key = '' }) => (/^.._test_/.test(key) ? 'sandbox' : 'live'),
  async describe(connection) {
    const account = await callStripe<StripeAccount>(connection, { method: 'GET', path: '/v1/account' });
    const key = connection.credentials.secret_key;
    return {
      externalAccount: account.id,
      label: account.business_profile?.name ?? account.email ?? null,
      environment: key === undefined ? undefined : /^.._test_/.test(key) ? 'sandbox' : 'live',
    };
  },
  payments,
  inbound,
};

interface StripeAccount {
  id: string;
  email: string | null;
  business_profile?: { name: string | null } | null;
}

async function openPayPage(
  connection: OpenConnection,
  page: PayPage,
  { operationKey, firstAttemptAt }: WriteAttempt,
): Promise<OpenedPayPage> {
  const session = await callStripe<CheckoutSession>(connection, {
    method: 'POST',
    path: '/v1/checkout/sessions',
    form: toCheckoutSession(page, connection.settings.methods, firstAttemptAt),
    key: operationKey,
  });
  if (session.url === null)
    throw new VendorError('Stripe opened a page without an address.', { kind: 'refused', code: 'no_url' });
  const expiresAt = new Date(session.expires_at * 1000).toISOString();
  return { externalId: session.id, version: null, url: session.url, expiresAt };
}

async function closePayPage(connection: OpenConnection, externalId: string): Promise<boolean> {
  const path = `/v1/checkout/sessions/${encodeURIComponent(externalId)}`;
  const session = await callStripe<CheckoutSession>(connection, { method: 'GET', path });
  if (session.status !== 'open') return false;
  await callStripe(connection, { method: 'POST', path: `${path}/expire`, key: `expire-${externalId}` });
  return true;
}

/** Returns undefined if the account has no such payment. */
async function readPayment(
  connection: OpenConnection,
  id: string,
): Promise<Change<PaymentState> | undefined> {
  try {
    const intent = await callStripe<PaymentIntent>(connection, {
      method: 'GET',
      path: `/v1/payment_intents/${encodeURIComponent(id)}`,
      form: { expand: EXPANDED_CHARGE },
    });
    return toPaymentChange(intent);
  } catch (error) {
    if (error instanceof VendorError && error.kind === 'gone') return undefined;
    throw error;
  }
}

function keepFound<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined);
}

/**
 * The place of a pull: the creation time up to which earlier pulls have read, and the PaymentIntent
 * after which the next page begins.
 */
interface Place {
  since: number;
  /** The creation time of the newest PaymentIntent that this pull has read. */
  newest: number;
  after?: string;
}

/** Reads PaymentIntents by their creation, newest first, as Stripe lists them. */
async function pullPayments(
  connection: OpenConnection,
  { cursor, since }: PullStart,
): Promise<Page<PaymentState>> {
  const now = Math.floor(Date.now() / 1000);
  const stored = cursor === null ? undefined : (JSON.parse(cursor) as Place);
  const from = since === null ? undefined : Math.floor(Date.parse(since) / 1000);
  const place = from === undefined ? stored : { since: from, newest: from };
  const {
    since: start,
    newest,
    after,
  } = place ?? { since: now - FIRST_PULL_SECONDS, newest: now - FIRST_PULL_SECONDS };
  const { data, has_more } = await callStripe<List<PaymentIntent>>(connection, {
    method: 'GET',
    path: '/v1/payment_intents',
    form: {
      limit: PAGE_SIZE,
      created: { gte: start },
      starting_after: after,
      expand: EXPANDED_CHARGE.map((path) => `data.${path}`),
    },
  });
  const seen = Math.max(newest, ...data.map(({ created }) => created));
  const last = data.at(-1);
  const next: Place =
    has_more && last
      ? { since: start, newest: seen, after: last.id }
      : { since: seen - OVERLAP_SECONDS, newest: seen };
  return { changes: data.map(toPaymentChange), cursor: JSON.stringify(next), isLast: !has_more };
}
