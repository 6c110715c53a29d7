export interface CallLimits {
  /** Maximum number of calls of one connection within any second. A whole number. */
  perSecond: number;
  /** Maximum number of calls of one connection within any minute, if the vendor limits them. */
  perMinute?: number;
  /**
   * Maximum number of calls per minute for all connections together, if the vendor limits the
   * application as a whole.
   */
  perAppAndMinute?: number;
  timeoutMs: number;
}

export interface BookLimits {
  /** The maximum length of an invoice number, if it is shorter than ours. */
  maxNumberChars?: number;
  /** True if the vendor accepts no payment without a chosen account for payments. */
  needsDepositAccount?: true;
}
