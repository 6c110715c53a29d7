import { now, type StripeAccount, type StripeObject, token } from './stripe-account.js';

export type PaidBy = 'card' | 'link' | 'us_bank_account' | 'card_present';

/** Stripe's fee: 2.9 % and 30 cents. A bank debit costs 0.8 %, 5 dollars at most. */
export function computeFee(amount: number, method: PaidBy): number {
  return method === 'us_bank_account'
    ? Math.min(500, Math.round(amount * 0.008))
    : Math.round(amount * 0.029) + 30;
}

export function addIntent(account: StripeAccount, members: Record<string, unknown>): StripeObject {
  return account.add('payment_intent', {
    status: 'requires_payment_method',
    amount_received: 0,
    currency: 'usd',
    metadata: {},
    payment_method_types: ['card'],
    latest_charge: null,
    last_payment_error: null,
    client_secret: `secret_${token(8)}`,
    ...members,
  });
}

/**
 * Lets the customer pay a PaymentIntent. A bank debit stays in `processing` until it settles or
 * fails.
 */
export function payIntent(account: StripeAccount, intent: StripeObject, method: PaidBy): void {
  const isDebit = method === 'us_bank_account';
  const charge = account.add('charge', {
    amount: intent.amount,
    amount_captured: isDebit ? 0 : intent.amount,
    amount_refunded: 0,
    currency: 'usd',
    customer: intent.customer ?? null,
    metadata: intent.metadata,
    paid: !isDebit,
    captured: !isDebit,
    payment_intent: intent.id,
    payment_method_details: { type: method },
    status: isDebit ? 'pending' : 'succeeded',
    refunded: false,
    disputed: false,
  });
  Object.assign(intent, {
    latest_charge: charge.id,
    payment_method_types: [method],
    last_payment_error: null,
  });
  if (isDebit) {
    intent.status = 'processing';
    account.emit('payment_intent.processing', intent);
  } else settleIntent(account, intent, method);
}

/** Records a change of the account's balance, which the next payout contains. */
export function moveBalance(
  account: StripeAccount,
  source: StripeObject,
  {
    amount,
    fee = 0,
    type,
    ...others
  }: { amount: number; fee?: number; type: string; reporting_category?: string },
): StripeObject {
  return account.add('balance_transaction', {
    amount,
    fee,
    net: amount - fee,
    currency: 'usd',
    type,
    reporting_category: type,
    status: 'available',
    source: source.id,
    ...others,
  });
}

/** Settles a PaymentIntent, so that its money arrives on the account's balance. */
export function settleIntent(account: StripeAccount, intent: StripeObject, method: PaidBy): void {
  const charge = account.find(intent.latest_charge, 'charge') as StripeObject;
  const amount = intent.amount as number;
  const fee = computeFee(amount, method);
  const balance = moveBalance(account, charge, { amount, fee, type: 'charge' });
  Object.assign(charge, {
    status: 'succeeded',
    paid: true,
    captured: true,
    amount_captured: amount,
    balance_transaction: balance.id,
  });
  Object.assign(intent, { status: 'succeeded', amount_received: amount });
  account.emit('charge.succeeded', charge);
  account.emit('payment_intent.succeeded', intent);
}

/** Makes a payment fail: a card is declined, or a bank debit fails days later. */
export function failIntent(account: StripeAccount, intent: StripeObject, code: string): void {
  const charge = account.find(intent.latest_charge, 'charge');
  if (charge) Object.assign(charge, { status: 'failed', paid: false, failure_code: code });
  Object.assign(intent, {
    status: 'requires_payment_method',
    last_payment_error: { type: 'card_error', code, message: `The payment failed: ${code}.` },
  });
  account.emit('payment_intent.payment_failed', intent);
}

export function refundCharge(
  account: StripeAccount,
  intent: StripeObject,
  { amount, metadata = {}, status = 'succeeded' }: { amount: number; metadata?: object; status?: string },
): StripeObject {
  const charge = account.find(intent.latest_charge, 'charge') as StripeObject;
  const refunded = (charge.amount_refunded as number) + amount;
  Object.assign(charge, { amount_refunded: refunded, refunded: refunded === charge.amount });
  const refund = account.add('refund', {
    amount,
    charge: charge.id,
    currency: 'usd',
    metadata,
    payment_intent: intent.id,
    status,
    reason: null,
  });
  refund.balance_transaction = moveBalance(account, refund, { amount: -amount, type: 'refund' }).id;
  account.emit('refund.created', refund);
  account.emit('charge.refunded', charge);
  return refund;
}

/** Makes a refund fail days after it was accepted. The charge then no longer counts as refunded. */
export function failRefund(account: StripeAccount, refund: StripeObject, reason: string): void {
  const charge = account.find(refund.charge, 'charge') as StripeObject;
  const refunded = (charge.amount_refunded as number) - (refund.amount as number);
  Object.assign(charge, { amount_refunded: refunded, refunded: false });
  Object.assign(refund, { status: 'failed', failure_reason: reason });
  account.emit('refund.failed', refund);
}

const EVIDENCE_DAYS = 7;
const DISPUTE_FEE = 1500;

/** Opens a dispute as the customer's bank would. The account may answer with evidence. */
export function disputeIntent(account: StripeAccount, intent: StripeObject, reason: string): StripeObject {
  const charge = account.find(intent.latest_charge, 'charge') as StripeObject;
  charge.disputed = true;
  const isReturn = reason === 'insufficient_funds' || reason === 'bank_cannot_process';
  const dispute = account.add('dispute', {
    amount: (charge.amount as number) - (charge.amount_refunded as number),
    charge: charge.id,
    currency: 'usd',
    payment_intent: intent.id,
    reason,
    status: isReturn ? 'lost' : 'needs_response',
    is_charge_refundable: false,
    metadata: {},
    evidence: {},
    evidence_details: {
      due_by: isReturn ? null : now() + EVIDENCE_DAYS * 86_400,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
  });
  moveBalance(account, dispute, {
    amount: -(dispute.amount as number),
    fee: DISPUTE_FEE,
    type: 'adjustment',
    reporting_category: 'dispute',
  });
  account.emit('charge.dispute.created', dispute);
  account.emit('charge.dispute.funds_withdrawn', dispute);
  if (isReturn) account.emit('charge.dispute.closed', dispute);
  return dispute;
}

export function closeDispute(account: StripeAccount, dispute: StripeObject, outcome: 'won' | 'lost'): void {
  dispute.status = outcome;
  if (outcome === 'won') account.emit('charge.dispute.funds_reinstated', dispute);
  account.emit('charge.dispute.closed', dispute);
}
