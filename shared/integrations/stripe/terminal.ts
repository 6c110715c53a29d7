import { randomUUID } from 'node:crypto';
import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { ReaderPayment, ReaderState, Terminal } from '../contract/terminal.js';
import { VendorError } from '../contract/vendor-error.js';
import { callStripe, type StripeRequest } from './api/client.js';
import type { PaymentIntent } from './mapper.js';

interface StripeReader {
  id: string;
  label: string;
  device_type: string | null;
  /** Null for readers inside phones, which a server cannot drive. */
  status: string | null;
  action: ReaderAction | null;
}

interface ReaderAction {
  status: string;
  failure_message: string | null;
  process_payment_intent?: { payment_intent: string };
}

interface List<T> {
  data: T[];
  has_more: boolean;
}

const PAGE_SIZE = 100;
/** The maximum number of readers that the service reads per connection. */
const MAX_READERS = 500;

/**
 * Sentences for the common reasons why a reader cannot ask for a payment, by Stripe's error code.
 */
const SENTENCES: Readonly<Record<string, string>> = {
  terminal_reader_offline:
    'The card reader is offline. Switch it on, check its network, and start the payment again.',
  terminal_reader_busy:
    'The card reader is busy with another payment. Wait until it has ended, and start the payment again.',
  terminal_reader_timeout: 'The card reader did not answer. Check its network, and start the payment again.',
  resource_missing: 'Stripe does not know this card reader any more.',
};

export const terminal: Terminal = {
  async listReaders(connection) {
    const readers: StripeReader[] = [];
    for (let after: string | undefined; readers.length < MAX_READERS; after = readers.at(-1)?.id) {
      const page = await readPage(connection, after);
      if (!page) return undefined;
      readers.push(...page.data);
      if (!page.has_more) break;
    }
    return readers.filter(({ status }) => status !== null).map(toReaderChange);
  },
  async prepare(connection, { terminalPaymentId, invoiceId, title, amountCents }, { operationKey }) {
    const intent = await change<PaymentIntent>(connection, {
      path: '/v1/payment_intents',
      form: {
        amount: amountCents,
        currency: 'usd',
        allowed_payment_method_types: ['card_present'],
        description: title,
        metadata: { invoice_id: invoiceId, terminal_payment_id: terminalPaymentId },
      },
      key: operationKey,
    });
    return { externalId: intent.id, version: null };
  },
  async show(connection, { readerId, externalId }, { operationKey }) {
    await change(connection, {
      path: `${readerPath(readerId)}/process_payment_intent`,
      // Skip tips. With a tip, the payment would exceed the amount that the invoice owes.
      form: { payment_intent: externalId, process_config: { skip_tipping: true } },
      key: `${operationKey}-show`,
    });
  },
  async read(connection, payment) {
    // Read the reader first. If a card is declined between the two calls, the payment, which is
    // read second, shows it with the bank's reason. The reader knows a general sentence only.
    const action = await readAction(connection, payment);
    const intent = await readIntent(connection, payment.externalId);
    if (intent.status === 'canceled')
      return { state: 'ended', reason: 'The payment was cancelled at the vendor.' };
    if (wasTried(intent)) return { state: 'tried' };
    if (action?.status === 'failed')
      return {
        state: 'ended',
        reason: action.failure_message ?? 'The card reader stopped asking for a card.',
      };
    return action
      ? { state: 'waiting' }
      : { state: 'ended', reason: 'The card reader no longer asks for this payment.' };
  },
  async cancel(connection, payment) {
    // Use a new idempotency key each time. Under an earlier key, Stripe would repeat its earlier
    // refusal. A repeated cancellation does no harm.
    const action = await readAction(connection, payment);
    if (action?.status === 'in_progress')
      await ignoreRefusal(
        change(connection, {
          path: `${readerPath(payment.readerId)}/cancel_action`,
          key: randomUUID(),
        }),
      );
    // Cancel the PaymentIntent too. No card can then pay it, even if the reader still asks for a
    // card.
    const cancelled = await ignoreRefusal(
      change<PaymentIntent>(connection, {
        path: `/v1/payment_intents/${encodeURIComponent(payment.externalId)}/cancel`,
        key: randomUUID(),
      }),
    );
    const { status } = cancelled ?? (await readIntent(connection, payment.externalId));
    return status === 'canceled';
  },
};

const readerPath = (id: string) => `/v1/terminal/readers/${encodeURIComponent(id)}`;

/** True if the customer has presented a card. Even a declined card leaves a charge. */
function wasTried({ status, latest_charge }: PaymentIntent): boolean {
  return latest_charge !== null || status === 'processing' || status === 'succeeded';
}

function readIntent(connection: OpenConnection, id: string): Promise<PaymentIntent> {
  const path = `/v1/payment_intents/${encodeURIComponent(id)}`;
  return callStripe<PaymentIntent>(connection, { method: 'GET', path });
}

/**
 * Reads the reader's action for this payment. Returns undefined if the reader has no action, or one
 * for another payment.
 */
async function readAction(
  connection: OpenConnection,
  { readerId, externalId }: ReaderPayment,
): Promise<ReaderAction | undefined> {
  const reader = await ignoreRefusal(
    callStripe<StripeReader>(connection, { method: 'GET', path: readerPath(readerId) }),
  );
  const action = reader?.action;
  return action?.process_payment_intent?.payment_intent === externalId ? action : undefined;
}

/** Returns undefined if the key gives no access to readers. */
async function readPage(
  connection: OpenConnection,
  after: string | undefined,
): Promise<List<StripeReader> | undefined> {
  const { terminal_location_id: location } = connection.settings;
  const form = { limit: PAGE_SIZE, starting_after: after, location: location as string | undefined };
  try {
    return await callStripe(connection, { method: 'GET', path: '/v1/terminal/readers', form });
  } catch (error) {
    // Without this right, only readers are unavailable. The connection's other streams still work,
    // so do not report an error.
    if (isMissingRight(error)) return undefined;
    throw error;
  }
}

/** True if Stripe accepts the key, but the key lacks the right to this call. */
function isMissingRight(error: unknown): boolean {
  return error instanceof VendorError && error.kind === 'auth' && error.code !== 'http_401';
}

function toReaderChange({ id, label, device_type, status }: StripeReader): Change<ReaderState> {
  const fields: ReaderState = {
    label,
    deviceType: device_type,
    status: status === 'online' ? 'online' : 'offline',
  };
  return { kind: 'terminal_reader', externalId: id, version: fingerprint(fields), fields };
}

/** Sends a POST, and explains a refusal in a sentence for the person who holds the reader. */
async function change<T>(connection: OpenConnection, request: Omit<StripeRequest, 'method'>): Promise<T> {
  try {
    return await callStripe<T>(connection, { method: 'POST', ...request });
  } catch (error) {
    if (isMissingRight(error))
      throw new VendorError(
        'The Stripe key may not use card readers. Give the key write access to Terminal and PaymentIntents.',
        { kind: 'refused', code: 'missing_right', cause: error },
      );
    const sentence = error instanceof VendorError ? SENTENCES[error.code] : undefined;
    if (sentence === undefined) throw error;
    const { code, vendorRequestId } = error as VendorError;
    throw new VendorError(sentence, { kind: 'refused', code, vendorRequestId, cause: error });
  }
}

/** Returns undefined if Stripe refuses the call. */
async function ignoreRefusal<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    const isRefused = error instanceof VendorError && (error.kind === 'refused' || error.kind === 'gone');
    if (isRefused || isMissingRight(error)) return undefined;
    throw error;
  }
}
