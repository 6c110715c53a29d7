/** What an account is told of; more may come. */
export const NOTICE_KINDS = [
  'endpoint_failing',
  'endpoint_disabled',
  'endpoint_recovered',
  'delivery_exhausted',
  'export_failed',
  'export_skipped',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
