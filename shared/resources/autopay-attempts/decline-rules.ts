/**
 * The reaction to a failed charge:
 * - `retry`: the same charge may succeed on a later day.
 * - `ask`: the customer has to pay in another way, or confirm the payment.
 * - `stop`: the method must not be charged again. Card networks fine merchants who charge it.
 * - `check`: it is unknown whether the customer was charged, so the account has to check.
 */
export type DeclineRule = 'retry' | 'ask' | 'stop' | 'check';

/** The code of a charge for which the vendor gave no usable response. */
export const UNKNOWN_OUTCOME = 'outcome_unknown';
/** The code of a bank debit that failed days after the charge. */
export const LATE_FAILURE = 'debit_failed';

/**
 * Rules by the vendor's decline code. For any other code the rule is `ask`, because an automatic
 * retry would probably fail for the same reason.
 */
const RULES: Readonly<Record<string, DeclineRule>> = {
  [UNKNOWN_OUTCOME]: 'check',
  approve_with_id: 'retry',
  call_issuer: 'retry',
  card_velocity_exceeded: 'retry',
  do_not_honor: 'retry',
  do_not_try_again: 'stop',
  generic_decline: 'retry',
  insufficient_funds: 'retry',
  issuer_not_available: 'retry',
  no_action_taken: 'retry',
  processing_error: 'retry',
  reenter_transaction: 'retry',
  try_again_later: 'retry',
  withdrawal_count_limit_exceeded: 'retry',
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

/**
 * The number of days between two attempts. After the last attempt, a person of the account has to
 * act.
 */
const WAITS_DAYS: readonly number[] = [1, 3, 5];

export function findDeclineRule(code: string | null): DeclineRule {
  return RULES[code ?? ''] ?? 'ask';
}

/**
 * @param failures number of failed attempts to charge this invoice to this method, including the
 * current one
 * @returns the time of the next attempt; undefined if no attempt follows
 */
export function findNextAttempt(code: string | null, failures: number, now: Date): Date | undefined {
  const days = WAITS_DAYS[failures - 1];
  if (days === undefined || findDeclineRule(code) !== 'retry') return undefined;
  return new Date(now.getTime() + days * 86_400_000);
}
