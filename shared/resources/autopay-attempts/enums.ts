import { namedEnum } from '../../contracts/named-enum.js';

export const AUTOPAY_ATTEMPT_STATUSES = [
  'charging',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
] as const;

export const autopayAttemptStatus = namedEnum('AutopayAttemptStatus', AUTOPAY_ATTEMPT_STATUSES, {
  charging: 'The vendor has not answered yet',
  processing: 'A bank debit that may still fail, for some days',
  succeeded: 'The invoice is charged',
  failed: '`failure_reason` says why, and `next_attempt_at` when it is tried again',
  cancelled: 'The invoice was changed or paid otherwise before the vendor was called',
});
