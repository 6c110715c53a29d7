import { now, type StripeAccount, type StripeObject, token } from './stripe-account.js';

const DETAILS = {
  card: () => ({
    card: { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2030, fingerprint: token(8) },
  }),
  us_bank_account: () => ({
    us_bank_account: { bank_name: 'STRIPE TEST BANK', last4: '6789', account_type: 'checking' },
  }),
};

export interface SaveOptions {
  type?: keyof typeof DETAILS;
  /** True if the bank account is verified by small deposits, which take days. */
  byDeposits?: boolean;
}

/** Saves a payment method on the page of a session in setup mode, as a customer would. */
export function saveMethod(
  account: StripeAccount,
  session: StripeObject,
  { type = 'card', byDeposits = false }: SaveOptions,
): { method: StripeObject; intent: StripeObject } {
  if (session.status !== 'open' || session.mode !== 'setup') throw new Error('this page saves no method');
  if (!(session.payment_method_types as string[]).includes(type))
    throw new Error(`this page saves no ${type}`);
  session.customer ??= account.add('customer', { metadata: {}, email: session.customer_email }).id;
  const method = account.add('payment_method', {
    type,
    customer: byDeposits ? null : session.customer,
    metadata: {},
    billing_details: {},
    ...DETAILS[type](),
  });
  const intent = account.add('setup_intent', {
    customer: session.customer,
    payment_method: method.id,
    status: byDeposits ? 'requires_action' : 'succeeded',
    usage: 'off_session',
    metadata: {},
    last_setup_error: null,
    next_action: byDeposits
      ? {
          type: 'verify_with_microdeposits',
          verify_with_microdeposits: {
            arrival_date: now() + 2 * 86_400,
            hosted_verification_url: 'https://payments.stripe.com/microdeposit/x',
            microdeposit_type: 'amounts',
          },
        }
      : null,
    ...Object(Reflect.get(session, 'setupData')),
  });
  Object.assign(session, { status: 'complete', setup_intent: intent.id, url: null });
  if (!byDeposits) account.emit('setup_intent.succeeded', intent);
  else account.emit('setup_intent.requires_action', intent);
  account.emit('checkout.session.completed', session);
  return { method, intent };
}

/**
 * Verifies a bank account by its small deposits, as a customer would. If `isRight` is false, the
 * customer fails too often.
 */
export function verifyDeposits(account: StripeAccount, intent: StripeObject, isRight: boolean): void {
  const method = account.find(intent.payment_method, 'payment_method') as StripeObject;
  Object.assign(intent, { next_action: null });
  if (isRight) {
    method.customer = intent.customer;
    intent.status = 'succeeded';
    account.emit('setup_intent.succeeded', intent);
    return;
  }
  Object.assign(intent, {
    status: 'requires_payment_method',
    last_setup_error: {
      type: 'invalid_request_error',
      code: 'payment_method_microdeposit_verification_attempts_exceeded',
      message: 'You have exceeded the number of allowed verification attempts.',
    },
  });
  account.emit('setup_intent.setup_failed', intent);
}

/** Detaches a method at the vendor, as the account could do in the vendor's own dashboard. */
export function detachMethod(account: StripeAccount, method: StripeObject): void {
  method.customer = null;
  account.emit('payment_method.detached', method);
}
