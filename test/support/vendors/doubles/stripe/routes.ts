import { addIntent, failIntent, payIntent, refundCharge } from './payments.js';
import { answerReaderCall } from './readers.js';
import { type Kind, now, type StripeAccount, type StripeObject } from './stripe-account.js';
import { findOr404, refuse, StripeRefusal } from './stripe-refusal.js';

export interface StripeCall {
  account: StripeAccount;
  /** The ids in the path. */
  ids: string[];
  form: Record<string, unknown>;
  /** The address of the double, under which it serves hosted pages. */
  origin: string;
}

type Handler = (call: StripeCall) => unknown;

/** The lists that Stripe offers, by path. */
const COLLECTIONS: Readonly<Record<string, Kind>> = {
  'checkout/sessions': 'checkout.session',
  payment_intents: 'payment_intent',
  charges: 'charge',
  balance_transactions: 'balance_transaction',
  refunds: 'refund',
  disputes: 'dispute',
  customers: 'customer',
  payment_methods: 'payment_method',
  setup_intents: 'setup_intent',
  payouts: 'payout',
  events: 'event',
  'terminal/readers': 'terminal.reader',
};

const ACTIONS: Readonly<Record<string, Handler>> = {
  'GET account': ({ account }) => ({
    id: account.id,
    object: 'account',
    type: 'standard',
    email: 'billing@hudson-towing.example',
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
    business_profile: null,
  }),
  'POST checkout/sessions': createSession,
  'POST checkout/sessions/*/expire': ({ account, ids }) => {
    const session = findOr404(account, 'checkout.session', ids[0]);
    if (session.status !== 'open')
      throw refuse('Only Checkout Sessions with a status of open can be expired.', 'resource_invalid');
    session.status = 'expired';
    session.url = null;
    account.emit('checkout.session.expired', session);
    return session;
  },
  'POST customers': ({ account, form }) => account.add('customer', { metadata: {}, ...form }),
  'POST payment_intents': createIntent,
  'POST payment_intents/*/cancel': ({ account, ids }) => {
    const intent = findOr404(account, 'payment_intent', ids[0]);
    if (intent.status === 'succeeded' || intent.status === 'processing')
      throw refuse('This PaymentIntent cannot be canceled.', 'payment_intent_unexpected_state');
    intent.status = 'canceled';
    account.emit('payment_intent.canceled', intent);
    return intent;
  },
  'POST refunds': createRefund,
  'POST disputes/*': ({ account, ids, form }) => {
    const dispute = findOr404(account, 'dispute', ids[0]);
    const details = dispute.evidence_details as Record<string, unknown>;
    Object.assign(dispute.evidence as object, form.evidence);
    details.has_evidence = true;
    if (form.submit === 'true') {
      if (details.submission_count === 1) throw refuse('Evidence was submitted already.');
      details.submission_count = 1;
      dispute.status = 'under_review';
    }
    account.emit('charge.dispute.updated', dispute);
    return dispute;
  },
  'POST payment_methods/*/detach': ({ account, ids }) => {
    const method = findOr404(account, 'payment_method', ids[0]);
    method.customer = null;
    account.emit('payment_method.detached', method);
    return method;
  },
  'GET customers/*/payment_methods': ({ account, ids, form }) =>
    listObjects(account, 'payment_method', { ...form, customer: ids[0] }),
};

/** Answers a call to `/v1/…`. @throws {StripeRefusal} */
export function answerCall(method: string, path: string, call: Omit<StripeCall, 'ids'>): unknown {
  const parts = path.split('/');
  const reader = path.startsWith('terminal/') ? answerReaderCall(method, parts, call) : undefined;
  if (reader) return reader;
  for (const [name, handler] of Object.entries(ACTIONS)) {
    const ids = matchPath(name, method, parts);
    if (ids) return handler({ ...call, ids });
  }
  if (method === 'GET') {
    const kind = COLLECTIONS[path];
    if (kind) return listObjects(call.account, kind, call.form);
    const parent = COLLECTIONS[parts.slice(0, -1).join('/')];
    if (parent) return expand(call.account, findOr404(call.account, parent, parts.at(-1)), call.form.expand);
  }
  throw new StripeRefusal(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: /v1/${path}).`,
  });
}

function matchPath(name: string, method: string, parts: readonly string[]): string[] | undefined {
  const [verb, pattern = ''] = name.split(' ');
  const wanted = pattern.split('/');
  if (verb !== method || wanted.length !== parts.length) return undefined;
  const isMatch = wanted.every((part, index) => part === '*' || part === parts[index]);
  return isMatch ? parts.filter((_, index) => wanted[index] === '*') : undefined;
}

const MAX_PAGE = 100;

function listObjects(account: StripeAccount, kind: Kind, form: Record<string, unknown>) {
  const {
    limit = 10,
    starting_after: after,
    ending_before: before,
    created,
    expand: paths,
    payout,
    ...filters
  } = form;
  const range = Object(created) as Record<string, string>;
  if (payout !== undefined && findOr404(account, 'payout', String(payout)).automatic !== true)
    throw refuse('Balance transaction history can only be filtered on automatic transfers, not manual.');
  const all = account
    .list(kind)
    .filter(({ id }) => payout === undefined || account.payoutOf.get(id) === payout)
    .filter((object) => Object.entries(filters).every(([name, value]) => object[name] === value))
    .filter(
      ({ created: at }) => at >= Number(range.gte ?? 0) && at < Number(range.lt ?? Number.MAX_SAFE_INTEGER),
    );
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const end = before === undefined ? all.length : all.findIndex(({ id }) => id === before);
  const size = Math.min(Number(limit), MAX_PAGE);
  const window = all.slice(start, end);
  const data = before === undefined ? window.slice(0, size) : window.slice(-size);
  const inner = Array.isArray(paths) ? paths.map((path) => String(path).replace(/^data\./, '')) : [];
  return {
    object: 'list',
    url: `/v1/${kind}`,
    has_more: window.length > data.length,
    data: data.map((object) => expand(account, object, inner)),
  };
}

/**
 * Replaces the ids at these paths by their objects. The path `latest_charge.balance_transaction`
 * expands the charge, and in it the balance transaction.
 */
function expand(account: StripeAccount, object: StripeObject, paths: unknown): StripeObject {
  if (!Array.isArray(paths) || paths.length === 0) return object;
  const copy = { ...object };
  for (const path of paths as string[]) {
    const [name = '', ...rest] = path.split('.');
    const found = account.find(copy[name]);
    if (found) copy[name] = expand(account, found, rest.length > 0 ? [rest.join('.')] : []);
  }
  return copy;
}

function createSession({ account, form, origin }: StripeCall): StripeObject {
  const items = (form.line_items ?? []) as { quantity: string; price_data: { unit_amount: string } }[];
  const amount = items.reduce(
    (sum, { quantity, price_data }) => sum + Number(quantity) * Number(price_data.unit_amount),
    0,
  );
  if (form.mode === 'payment' && amount < 50)
    throw refuse('The amount must be at least $0.50.', 'amount_too_small');
  const expiresAt = Number(form.expires_at ?? now() + 86_400);
  if (expiresAt < now() + 1790 || expiresAt > now() + 86_410)
    throw refuse(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
    );
  const intentData = Object(form.payment_intent_data) as Record<string, unknown>;
  const session = account.add('checkout.session', {
    mode: form.mode,
    amount_total: amount,
    amount_subtotal: amount,
    client_reference_id: form.client_reference_id ?? null,
    currency: 'usd',
    customer: form.customer ?? null,
    customer_creation: form.customer_creation ?? null,
    customer_email: form.customer_email ?? null,
    setup_intent: null,
    expires_at: expiresAt,
    metadata: form.metadata ?? {},
    payment_intent: null,
    payment_method_types: form.allowed_payment_method_types ?? ['card'],
    payment_status: 'unpaid',
    status: 'open',
    success_url: form.success_url,
    cancel_url: form.cancel_url ?? null,
  });
  session.url = `${origin}/c/pay/${session.id}`;
  // Remember the members of the future intents in hidden properties, because Stripe's session lacks
  // them.
  Object.defineProperty(session, 'intentData', { value: intentData });
  Object.defineProperty(session, 'setupData', { value: Object(form.setup_intent_data) });
  return session;
}

/** Pays on the page of a session, as a customer would. */
export function paySession(
  account: StripeAccount,
  session: StripeObject,
  method: 'card' | 'link' | 'us_bank_account',
): StripeObject {
  if (session.status !== 'open') throw refuse('This page has expired.');
  assertAllowed(session, method);
  const intent = addIntent(account, {
    amount: session.amount_total,
    customer: session.customer,
    description: null,
    ...Object(Reflect.get(session, 'intentData')),
  });
  const isDebit = method === 'us_bank_account';
  Object.assign(session, {
    payment_intent: intent.id,
    status: 'complete',
    payment_status: isDebit ? 'unpaid' : 'paid',
    url: null,
  });
  payIntent(account, intent, method);
  account.emit('checkout.session.completed', session);
  return intent;
}

/** @throws {StripeRefusal} if the session does not allow this way to pay */
export function assertAllowed({ payment_method_types: allowed }: StripeObject, method: string): void {
  if (!(allowed as string[]).includes(method))
    throw refuse(`The payment method type "${method}" is not allowed on this page.`);
}

function createIntent({ account, form }: StripeCall): StripeObject {
  const intent = addIntent(account, {
    amount: Number(form.amount),
    customer: form.customer ?? null,
    description: form.description ?? null,
    metadata: form.metadata ?? {},
    payment_method: form.payment_method ?? null,
    receipt_email: form.receipt_email ?? null,
    ...(form.allowed_payment_method_types ? { payment_method_types: form.allowed_payment_method_types } : {}),
  });
  if (form.confirm !== 'true') return intent;
  // Stripe's own test methods, such as pm_card_visa, exist in each test account.
  const id = String(form.payment_method);
  const method = id.startsWith('pm_card_') ? undefined : findOr404(account, 'payment_method', id);
  if (method && (method.customer === null || method.customer !== form.customer))
    throw refuse('The PaymentMethod does not belong to the Customer.', 'payment_method_unexpected_state');
  const { nextDecline: code } = account;
  account.nextDecline = undefined;
  if (code === undefined) {
    payIntent(account, intent, method?.type === 'us_bank_account' ? 'us_bank_account' : 'card');
    return intent;
  }
  failIntent(account, intent, code);
  throw new StripeRefusal(402, {
    type: 'card_error',
    code: code === 'authentication_required' ? code : 'card_declined',
    decline_code: code,
    message: 'Your card was declined.',
    payment_intent: intent,
  });
}

function createRefund({ account, form }: StripeCall): StripeObject {
  const intent = findOr404(account, 'payment_intent', String(form.payment_intent));
  const charge = account.find(intent.latest_charge, 'charge');
  const left = charge ? Number(charge.amount_captured) - Number(charge.amount_refunded) : 0;
  const amount = Number(form.amount ?? left);
  if (amount > left)
    throw refuse(
      `Refund amount ($${amount / 100}) is greater than unrefunded amount on charge ($${left / 100})`,
      'charge_already_refunded',
    );
  const details = Object(charge?.payment_method_details) as { type?: string };
  const status = details.type === 'us_bank_account' ? 'pending' : 'succeeded';
  return refundCharge(account, intent, { amount, metadata: Object(form.metadata), status });
}
