import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { PaymentState, PayPage } from '../contract/payments.js';
import { readOwnId } from '../contract/read-own-id.js';
import type { FormValue } from './api/form.js';
import { PAGE_HOURS } from './page-hours.js';

/** The members of a PaymentIntent that the service reads. Its charge must be expanded. */
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

/** The value of `expand` with which Stripe includes the charge and its fee in a PaymentIntent. */
export const EXPANDED_CHARGE = ['latest_charge.balance_transaction'];

/**
 * Builds the body that opens a Checkout Session.
 * @param startedAt the start of the first attempt. All attempts must send the same `expires_at`,
 * because Stripe refuses other content under the same idempotency key
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

/** Maps Stripe's statuses to ours. A status that is not in the table counts as `open`. */
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
 * After a failed payment, a PaymentIntent waits for another payment method or is cancelled. It
 * counts as failed if it has a charge. Without a charge, no payment was tried, and it counts as
 * open.
 */
function toStatus({ status }: PaymentIntent, hasCharge: boolean): PaymentState['status'] {
  if (status === 'requires_payment_method' || status === 'canceled') return hasCharge ? 'failed' : 'open';
  return STATUSES[status] ?? 'open';
}
