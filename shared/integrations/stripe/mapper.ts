import type { Change } from '../contract/connection.js';
import type { PaymentState, PayPage } from '../contract/payments.js';
import { fingerprint } from './api/fingerprint.js';
import type { FormValue } from './api/form.js';
import { readOwnId } from './api/read-own-id.js';
import { PAGE_HOURS } from './page-hours.js';

/** The parts of a PaymentIntent that are read, with the charge expanded. */
export interface PaymentIntent {
  id: string;
  status: string;
  amount: number;
  amount_received: number;
  created: number;
  metadata: Record<string, string>;
  last_payment_error: { message?: string; code?: string } | null;
  latest_charge: Charge | string | null;
  payment_method_types: string[];
}

interface Charge {
  created: number;
  payment_method_details: { type: string } | null;
  balance_transaction: { fee: number } | string | null;
}

/** The members of a request that make Stripe answer a PaymentIntent with its charge and its fee. */
export const EXPANDED_CHARGE = ['latest_charge.balance_transaction'];

/**
 * Returns the body that opens a Checkout Session.
 * @param startedAt the start of the first attempt. Stripe refuses other content under the same
 *   idempotency key, so a repetition must have the same `expires_at`
 */
export function toCheckoutSession(
  page: PayPage,
  methods: unknown,
  startedAt: Date,
): Record<string, FormValue> {
  const { payLinkId, invoiceId, title, amountCents, customerEmail, returnUrl } = page;
  const metadata = { invoice_id: invoiceId, pay_link_id: payLinkId };
  return {
    mode: 'payment',
    allowed_payment_method_types: Array.isArray(methods) ? (methods as string[]) : undefined,
    client_reference_id: invoiceId,
    customer_email: customerEmail ?? undefined,
    expires_at: Math.floor(startedAt.getTime() / 1000) + PAGE_HOURS * 3600,
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'usd', unit_amount: amountCents, product_data: { name: title } },
      },
    ],
    metadata,
    payment_intent_data: { metadata, description: title },
    success_url: returnUrl,
    cancel_url: returnUrl,
  };
}

/** Our states by Stripe's. A state that is not in the table counts as `open`. */
const STATUSES: Readonly<Record<string, PaymentState['status']>> = {
  processing: 'processing',
  succeeded: 'succeeded',
};

const METHODS: Readonly<Record<string, PaymentState['method']>> = {
  card: 'card',
  card_present: 'card',
  link: 'card',
  us_bank_account: 'ach',
};

export function toPaymentChange(intent: PaymentIntent): Change<PaymentState> {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const method = charge?.payment_method_details?.type ?? '';
  const balance = charge?.balance_transaction;
  const fields: PaymentState = {
    invoiceId: readOwnId(intent.metadata.invoice_id),
    payLinkId: readOwnId(intent.metadata.pay_link_id),
    terminalPaymentId: readOwnId(intent.metadata.terminal_payment_id),
    status: toStatus(intent, charge !== null),
    amountCents: intent.amount_received || intent.amount,
    method: METHODS[method] ?? 'other',
    feeCents: typeof balance === 'object' && balance ? balance.fee : null,
    failureReason: intent.last_payment_error?.message ?? null,
    paidAt: new Date((charge?.created ?? intent.created) * 1000).toISOString(),
  };
  return { kind: 'payment', externalId: intent.id, version: fingerprint(fields), fields };
}

/**
 * A PaymentIntent whose payment failed waits for another payment method, or is cancelled. It counts
 * as failed if a charge was made, and as open if nothing was ever tried.
 */
function toStatus({ status }: PaymentIntent, hasCharge: boolean): PaymentState['status'] {
  if (status === 'requires_payment_method' || status === 'canceled') return hasCharge ? 'failed' : 'open';
  return STATUSES[status] ?? 'open';
}
