import { failIntent, payIntent } from './payments.js';
import { now, type StripeAccount, type StripeObject, token } from './stripe-account.js';
import { findOr404, refuse, StripeRefusal } from './stripe-refusal.js';

interface ReaderAction {
  type: string;
  status: 'in_progress' | 'succeeded' | 'failed';
  failure_code: string | null;
  failure_message: string | null;
  api_error: null;
  process_payment_intent: { payment_intent: string };
}

/** Registers a card reader. A person does this in Stripe's own dashboard. */
export function addReader(account: StripeAccount, label = 'Front desk', location = 'tml_1'): StripeObject {
  return account.add('terminal.reader', {
    label,
    location,
    status: 'online',
    action: null,
    device_type: 'bbpos_wisepos_e',
    serial_number: token(6),
    last_seen_at: now() * 1000,
    metadata: {},
  });
}

/** Answers an API request that acts on a card reader. Returns undefined for any other request. */
export function answerReaderCall(
  method: string,
  [, , id, action]: readonly string[],
  { account, form }: { account: StripeAccount; form: Record<string, unknown> },
): StripeObject | undefined {
  if (account.lacksTerminal)
    throw new StripeRefusal(403, { type: 'invalid_request_error', message: 'The key lacks the right.' });
  if (method !== 'POST' || action === undefined) return undefined;
  const reader = findOr404(account, 'terminal.reader', id);
  if (reader.status === 'offline')
    throw refuse('Reader is currently offline, please ensure it is connected.', 'terminal_reader_offline');
  if (action === 'cancel_action') return Object.assign(reader, { action: null });
  if (action !== 'process_payment_intent') return undefined;
  if (findAction(reader)?.status === 'in_progress')
    throw refuse('Reader is currently busy processing another request.', 'terminal_reader_busy');
  const intent = findOr404(account, 'payment_intent', String(form.payment_intent));
  if (!(intent.payment_method_types as string[]).includes('card_present') || !isWaiting(intent))
    throw refuse('This PaymentIntent cannot be processed.', 'payment_intent_unexpected_state');
  return showPayment(reader, intent);
}

/**
 * Makes a reader ask for a card for this payment. Tests also call it to act as another program that
 * uses the same reader.
 */
export function showPayment(reader: StripeObject, intent: StripeObject): StripeObject {
  const action: ReaderAction = {
    type: 'process_payment_intent',
    status: 'in_progress',
    failure_code: null,
    failure_message: null,
    api_error: null,
    process_payment_intent: { payment_intent: intent.id },
  };
  return Object.assign(reader, { action });
}

const isWaiting = ({ status }: StripeObject): boolean => status === 'requires_payment_method';

const findAction = (reader: StripeObject) => reader.action as ReaderAction | null;

/** Presents a card to the reader. The payment succeeds, or the bank declines it with this code. */
export function presentCard(
  account: StripeAccount,
  reader: StripeObject,
  declineCode?: string,
): StripeObject {
  const action = findAction(reader);
  if (action?.status !== 'in_progress') throw new Error('the reader does not wait for a card');
  const intent = findOr404(account, 'payment_intent', action.process_payment_intent.payment_intent);
  if (declineCode === undefined) {
    action.status = 'succeeded';
    payIntent(account, intent, 'card_present');
    account.emit('terminal.reader.action_succeeded', reader);
    return intent;
  }
  const charge = account.add('charge', {
    amount: intent.amount,
    currency: 'usd',
    metadata: intent.metadata,
    payment_intent: intent.id,
    payment_method_details: { type: 'card_present' },
    status: 'failed',
    paid: false,
  });
  intent.latest_charge = charge.id;
  failIntent(account, intent, declineCode);
  failAction(account, reader, 'Your card was declined.');
  return intent;
}

/**
 * Ends the wait for a card with a failure, for example because the customer pressed the red key.
 */
export function failAction(account: StripeAccount, reader: StripeObject, message: string): void {
  Object.assign(findAction(reader) ?? {}, {
    status: 'failed',
    failure_code: 'customer_canceled',
    failure_message: message,
  });
  account.emit('terminal.reader.action_failed', reader);
}
