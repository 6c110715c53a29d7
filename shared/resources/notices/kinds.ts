/** The kinds of notices. Future versions may add more. */
export const NOTICE_KINDS = [
  'endpoint_failing',
  'endpoint_disabled',
  'endpoint_recovered',
  'delivery_exhausted',
  'export_failed',
  'export_skipped',
  'connection_needs_reauth',
  'connection_failing',
  'connection_not_revoked',
  'sync_issue_opened',
  'payment_failed',
  'payment_not_applied',
  'payment_disputed',
  'payment_returned',
  'refund_failed',
  'payout_failed',
  'recurring_invoice_failed',
  'autopay_failed',
  'card_expiring',
  'text_limit_reached',
  'writes_lost',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
