/**
 * What follows a decline:
 * - `retry`: the same charge may succeed on a later day.
 * - `ask`: the customer has to pay in another way, or confirm the payment.
 * - `stop`: the method must not be charged again. Card networks fine merchants who do.
 */
export type DeclineRule = 'retry' | 'ask' | 'stop';

/** Rules by the vendor's decline code. Any other code means `retry`. */
const RULES: Readonly<Record<string, DeclineRule>> = {
  authentication_required: 'ask',
  requires_action: 'ask',
  requires_payment_method: 'ask',
  expired_card: 'ask',
  incorrect_number: 'ask',
  invalid_number: 'ask',
  invalid_account: 'ask',
  invalid_cvc: 'ask',
  incorrect_cvc: 'ask',
  invalid_expiry_month: 'ask',
  invalid_expiry_year: 'ask',
  new_account_information_available: 'ask',
  card_not_supported: 'ask',
  transaction_not_allowed: 'ask',
  account_closed: 'stop',
  no_account: 'stop',
  debit_not_authorized: 'stop',
  payment_method_removed: 'stop',
  pickup_card: 'stop',
  lost_card: 'stop',
  stolen_card: 'stop',
  restricted_card: 'stop',
  fraudulent: 'stop',
  merchant_blacklist: 'stop',
  revocation_of_all_authorizations: 'stop',
  revocation_of_authorization: 'stop',
  stop_payment_order: 'stop',
};

/** The days from one attempt to the next. After the last attempt, the account has to act. */
const WAITS_DAYS: readonly number[] = [1, 3, 5];

export function findDeclineRule(code: string | null): DeclineRule {
  return RULES[code ?? ''] ?? 'retry';
}

/**
 * @param attempt the number of the attempt that has failed, from 1 on
 * @returns when the next attempt is due; undefined if there is none
 */
export function findNextAttempt(code: string | null, attempt: number, now: Date): Date | undefined {
  const days = WAITS_DAYS[attempt - 1];
  if (days === undefined || findDeclineRule(code) !== 'retry') return undefined;
  return new Date(now.getTime() + days * 86_400_000);
}
