import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Inbound, InboundNotice } from '../../contract/vendor.js';

/** Maximum age of a webhook. Stripe signs each retry with a new time. */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies the header Stripe-Signature (`t=…,v1=…`). While a secret is rolled, the header has
 * several signatures. Signatures of other schemes are ignored.
 * @param now milliseconds since 1970
 */
export function verifyStripeSignature(
  { header, body, secret }: { header: unknown; body: Buffer; secret: string },
  now = Date.now(),
): boolean {
  const pairs = String(header ?? '')
    .split(',')
    .map((pair) => pair.trim().split('=', 2));
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return pairs.some(([name, value = '']) => {
    const given = name === 'v1' ? Buffer.from(value, 'hex') : Buffer.alloc(0);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

type StripeObject = {
  id?: string;
  object?: string;
  payment_intent?: string | { id: string } | null;
  setup_intent?: string | null;
  /** The latest action of a card reader. */
  action?: { process_payment_intent?: { payment_intent?: string } } | null;
};

export interface StripeEvent {
  id: string;
  type: string;
  /** Id of the connected account. Present only in webhooks of the operator's application. */
  account?: string;
  data: { object: StripeObject };
}

export const inbound: Inbound = {
  isPerApplication: false,
  verify: ({ body, headers }, secret) =>
    verifyStripeSignature({ header: headers['stripe-signature'], body, secret }),
  split: (body) => [toNotice(JSON.parse(body.toString('utf8')) as StripeEvent)],
};

/**
 * The stream of each kind of object, by Stripe's name of the kind. Objects of other kinds belong to
 * the stream `payments`.
 */
const STREAMS: Readonly<Record<string, string>> = {
  refund: 'refunds',
  dispute: 'disputes',
  setup_intent: 'payment_methods',
  payment_method: 'payment_methods',
  payout: 'payouts',
};

/**
 * Returns the id and stream of the event's object. The worker then reads the object, because the
 * copy in the event may be outdated.
 */
export function toNotice({ id, account, data: { object } }: StripeEvent): InboundNotice {
  // In setup mode, a Checkout Session has a SetupIntent. In all other modes, it has a payment.
  const { setup_intent: setup } = object;
  const stream = setup ? 'payment_methods' : (STREAMS[object.object ?? ''] ?? 'payments');
  const hint = stream === 'payments' ? findPaymentIntent(object) : (setup ?? object.id);
  return {
    externalAccount: account ?? null,
    dedupeId: id,
    stream,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * Returns the id of a PaymentIntent: of the object itself, or of the one that the object refers to.
 */
function findPaymentIntent(object: StripeObject): string | undefined {
  if (object.object === 'payment_intent') return object.id;
  if (object.object === 'terminal.reader') return object.action?.process_payment_intent?.payment_intent;
  const { payment_intent: intent } = object;
  return (typeof intent === 'object' ? intent?.id : intent) ?? undefined;
}
