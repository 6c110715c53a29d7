import { namedEnum } from '../../contracts/named-enum.js';
import { CLAIM_STATUSES } from './transitions.js';

export const claimStatus = namedEnum('ClaimStatus', CLAIM_STATUSES, {
  queued: 'Created and not sent yet. It expires at `submit_by`',
  submitted: 'Sent to the club, which has not responded yet',
  accepted: 'The club accepted it and has not paid yet',
  paid: 'The club paid what was expected',
  denied: 'The club denied it. It expires at `respond_by` unless it is billed again',
  rebilling: 'Being corrected after a denial, to be sent again',
  short_paid: 'The club paid less than was expected',
  expired: 'Its deadline has passed',
  withdrawn: 'The tow company took it back',
});

export const clubAnswer = namedEnum('ClubAnswer', ['accepted', 'denied', 'paid'], {
  accepted: 'The club will pay the claim',
  denied: 'The club denies the claim; `code` and `reason` say why',
  paid: 'The club paid; `amount_cents` is required',
});
