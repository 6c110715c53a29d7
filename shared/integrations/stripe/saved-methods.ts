import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { readOwnId } from '../contract/read-own-id.js';
import type { ChargeOrder, ChargeResult, SavedMethodState, SavedMethods } from '../contract/saved-methods.js';
import { callStripe, requestStripe } from './api/client.js';
import { pullNamed, readEach } from './api/events.js';
import { PAGE_HOURS } from './page-hours.js';
import { type CheckoutSession, toOpenedPage } from './pages.js';

/** The members of a PaymentMethod that the service reads. */
interface StripeMethod {
  id: string;
  type: string;
  customer: string | null;
  card?: { brand: string; last4: string; exp_month: number; exp_year: number };
  us_bank_account?: { bank_name: string | null; last4: string | null };
}

/** The members of a SetupIntent that the service reads. Its payment method must be expanded. */
interface SetupIntent {
  status: string;
  customer: string | null;
  metadata: Record<string, string> | null;
  payment_method: StripeMethod | string | null;
  next_action: { verify_with_microdeposits?: { hosted_verification_url: string } } | null;
  last_setup_error: { message?: string } | null;
}

/** The types of payment methods that can be charged without the customer. */
const REUSABLE: readonly string[] = ['card', 'us_bank_account'];

/**
 * A saved method is a PaymentMethod. A Checkout Session in setup mode attaches it to a Customer.
 */
export const savedMethods: SavedMethods = {
  async openPage(connection, page, { operationKey, firstAttemptAt }) {
    const { methodId, customerExternalId: customer, customerEmail, returnUrl } = page;
    const metadata = { payment_method_id: methodId };
    const offered = (connection.settings.methods as string[] | undefined) ?? ['card'];
    const reusable = offered.filter((method) => REUSABLE.includes(method));
    const session = await callStripe<CheckoutSession>(connection, {
      method: 'POST',
      path: '/v1/checkout/sessions',
      form: {
        mode: 'setup',
        currency: 'usd',
        allowed_payment_method_types: reusable.length > 0 ? reusable : ['card'],
        ...(customer === null
          ? { customer_creation: 'always', customer_email: customerEmail ?? undefined }
          : { customer }),
        expires_at: Math.floor(firstAttemptAt.getTime() / 1000) + PAGE_HOURS * 3600,
        metadata,
        setup_intent_data: { metadata },
        success_url: returnUrl,
        cancel_url: returnUrl,
      },
      key: operationKey,
    });
    return toOpenedPage(session);
  },
  async detach(connection, externalId) {
    const path = `/v1/payment_methods/${encodeURIComponent(externalId)}`;
    const method = await callStripe<StripeMethod>(connection, { method: 'GET', path });
    if (method.customer !== null)
      await callStripe(connection, { method: 'POST', path: `${path}/detach`, key: `detach-${externalId}` });
    return { externalId, version: null };
  },
  async charge(connection, order, { operationKey }) {
    const { status, answer, fail } = await requestStripe<ChargeAnswer>(connection, {
      method: 'POST',
      path: '/v1/payment_intents',
      form: toCharge(order),
      key: operationKey,
    });
    if (status < 300) return toResult(answer);
    const { payment_intent: declined, decline_code, code, message = null } = answer.error ?? {};
    if (status !== 402 || !declined) throw fail();
    return {
      paymentExternalId: declined.id,
      status: 'declined',
      declineCode: decline_code ?? code ?? null,
      message,
    };
  },
  async findCharge(connection, order, since) {
    const found = await findIntent(connection, order, since);
    return found && toResult(found);
  },
  async readNamed(connection, hints) {
    const changes = await Promise.all([readIntents(connection, hints), readMethods(connection, hints)]);
    return changes.flat();
  },
  pull: (connection, from) =>
    pullNamed(connection, from, { stream: 'payment_methods', read: savedMethods.readNamed }),
};

interface ChargeAnswer {
  id: string;
  status: string;
  metadata?: Record<string, string>;
  last_payment_error?: { code?: string; decline_code?: string; message?: string } | null;
  error?: { code?: string; decline_code?: string; message?: string; payment_intent?: { id: string } };
}

function toCharge(order: ChargeOrder) {
  const { attemptId, invoiceId, title, amountCents, methodExternalId, customerExternalId, receiptEmail } =
    order;
  return {
    amount: amountCents,
    currency: 'usd',
    customer: customerExternalId,
    payment_method: methodExternalId,
    off_session: true,
    confirm: true,
    description: title,
    metadata: { invoice_id: invoiceId, autopay_attempt_id: attemptId },
    receipt_email: receiptEmail ?? undefined,
  };
}

/**
 * Stripe's clock may be behind ours by this much, so a charge may seem to be older than its
 * attempt.
 */
const SKEW_SECONDS = 300;

/**
 * Searches the customer's payments for the charge of this attempt, newest first. Stripe's list of
 * payments shows a new payment immediately.
 */
async function findIntent(
  connection: OpenConnection,
  { attemptId, customerExternalId: customer }: ChargeOrder,
  since: Date,
): Promise<ChargeAnswer | undefined> {
  const gte = Math.floor(since.getTime() / 1000) - SKEW_SECONDS;
  let after: string | undefined;
  do {
    const page = await callStripe<{ data: ChargeAnswer[]; has_more: boolean }>(connection, {
      method: 'GET',
      path: '/v1/payment_intents',
      form: { customer, created: { gte }, limit: 100, starting_after: after },
    });
    const found = page.data.find(({ metadata }) => metadata?.autopay_attempt_id === attemptId);
    if (found) return found;
    after = page.has_more ? page.data.at(-1)?.id : undefined;
  } while (after !== undefined);
  return undefined;
}

function toResult({ id, status, last_payment_error: failure }: ChargeAnswer): ChargeResult {
  if (status === 'succeeded' || status === 'processing')
    return { paymentExternalId: id, status, declineCode: null, message: null };
  if (failure)
    return {
      paymentExternalId: id,
      status: 'declined',
      declineCode: failure.decline_code ?? failure.code ?? null,
      message: failure.message ?? null,
    };
  return {
    paymentExternalId: id,
    status: 'declined',
    declineCode: status === 'requires_action' ? 'authentication_required' : status,
    message: 'The bank wants the customer to confirm the payment.',
  };
}

async function readIntents(
  connection: OpenConnection,
  hints: readonly string[],
): Promise<Change<SavedMethodState>[]> {
  const ids = hints.filter((hint) => hint.startsWith('seti_'));
  const intents = await readEach<SetupIntent>(connection, ids, {
    path: '/v1/setup_intents',
    expand: ['payment_method'],
  });
  return intents.flatMap((intent) => {
    const { payment_method: method, customer, metadata, next_action, last_setup_error } = intent;
    const status = toStatus(intent);
    if (typeof method !== 'object' || method === null || status === undefined) return [];
    return toChange(method, {
      methodId: readOwnId(metadata?.payment_method_id),
      customerExternalId: customer,
      status,
      verificationUrl: next_action?.verify_with_microdeposits?.hosted_verification_url ?? null,
      failureReason: last_setup_error?.message ?? null,
    });
  });
}

/** Returns undefined until the customer has entered a payment method. */
function toStatus({ status, last_setup_error }: SetupIntent): SavedMethodState['status'] | undefined {
  if (status === 'succeeded') return 'usable';
  if (status === 'requires_action') return 'verifying';
  return status === 'canceled' || last_setup_error ? 'failed' : undefined;
}

async function readMethods(
  connection: OpenConnection,
  hints: readonly string[],
): Promise<Change<SavedMethodState>[]> {
  const ids = hints.filter((hint) => !hint.startsWith('seti_'));
  const methods = await readEach<StripeMethod>(connection, ids, { path: '/v1/payment_methods' });
  return methods.map((method) =>
    toChange(method, {
      methodId: null,
      customerExternalId: method.customer,
      status: method.customer === null ? 'detached' : 'attached',
      verificationUrl: null,
      failureReason: null,
    }),
  );
}

type Reading = Pick<
  SavedMethodState,
  'methodId' | 'customerExternalId' | 'status' | 'verificationUrl' | 'failureReason'
>;

function toChange(method: StripeMethod, reading: Reading): Change<SavedMethodState> {
  const { id, type, card, us_bank_account: bank } = method;
  const fields: SavedMethodState = {
    ...reading,
    type: REUSABLE.includes(type) ? (type as 'card' | 'us_bank_account') : 'other',
    brand: card?.brand ?? bank?.bank_name ?? null,
    last4: card?.last4 ?? bank?.last4 ?? null,
    expMonth: card?.exp_month ?? null,
    expYear: card?.exp_year ?? null,
  };
  return { kind: 'payment_method', externalId: id, version: fingerprint(fields), fields };
}
