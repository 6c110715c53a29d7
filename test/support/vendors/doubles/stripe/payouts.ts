import { moveBalance } from './payments.js';
import { now, type StripeAccount, type StripeObject } from './stripe-account.js';

/**
 * Starts a payout of the whole balance.
 * @param isManual true if a person starts the payout; Stripe then never lists its transactions
 */
export function startPayout(account: StripeAccount, { isManual = false } = {}): StripeObject {
  const moves = account.list('balance_transaction').filter(({ id }) => !account.payoutOf.has(id));
  const payout = account.add('payout', {
    amount: moves.reduce((sum, { net }) => sum + Number(net), 0),
    arrival_date: Math.floor(now() / 86_400) * 86_400 + 2 * 86_400,
    automatic: !isManual,
    currency: 'usd',
    metadata: {},
    method: 'standard',
    reconciliation_status: isManual ? 'not_applicable' : 'in_progress',
    source_type: 'card',
    status: 'in_transit',
    type: 'bank_account',
  });
  for (const { id } of moves) account.payoutOf.set(id, payout.id);
  const move = moveBalance(account, payout, { amount: -(payout.amount as number), type: 'payout' });
  account.payoutOf.set(move.id, payout.id);
  payout.balance_transaction = move.id;
  account.emit('payout.created', payout);
  return payout;
}

/** Completes a payout. If the payout is automatic, Stripe can then list its transactions. */
export function settlePayout(account: StripeAccount, payout: StripeObject): void {
  payout.status = 'paid';
  account.emit('payout.paid', payout);
  if (payout.automatic !== true) return;
  payout.reconciliation_status = 'completed';
  account.emit('payout.reconciliation_completed', payout);
}

/** Makes the bank return a payout, even one that has already arrived. */
export function failPayout(account: StripeAccount, payout: StripeObject): void {
  const move = moveBalance(account, payout, { amount: payout.amount as number, type: 'payout_failure' });
  Object.assign(payout, {
    status: 'failed',
    failure_code: 'account_closed',
    failure_message: 'The bank account has been closed.',
    failure_balance_transaction: move.id,
  });
  account.emit('payout.failed', payout);
}
