import { namedEnum } from '../../contracts/named-enum.js';

export const SAVED_METHOD_STATUSES = [
  'opening',
  'open',
  'verifying',
  'active',
  'failed',
  'expired',
  'removed',
] as const;

export const savedMethodStatus = namedEnum('SavedMethodStatus', SAVED_METHOD_STATUSES, {
  opening: 'The vendor has not opened the page yet',
  open: 'The customer can enter a card or a bank account at `url` until `expires_at`',
  verifying: 'The customer has to confirm small deposits to the bank account, at `verification_url`',
  active: 'It can be charged',
  failed: 'The vendor refused it; `error` says why',
  expired: 'The customer entered nothing in time',
  removed: 'It can no longer be charged',
});

export const savedMethodType = namedEnum('SavedMethodType', ['unknown', 'card', 'us_bank_account', 'other'], {
  unknown: 'The customer has not entered one yet',
  card: 'A credit or debit card',
  us_bank_account: 'A bank account in the United States',
  other: 'Anything else that the vendor offers',
});
