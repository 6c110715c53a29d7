import { namedEnum } from '../../contracts/named-enum.js';
import { CLUB_PROGRESS } from '../open-club-offers/progress.js';
import { CLUB_OFFER_STATUSES, REFUSAL_REASONS, WITHDRAWAL_REASONS } from './transitions.js';

export const clubOfferStatus = namedEnum('ClubOfferStatus', CLUB_OFFER_STATUSES, {
  received: 'Waits for an answer until `respond_by`',
  accepted: 'The tow company accepted it, with an `eta`',
  refused: 'The tow company refused it; `refusal_reason` says why',
  expired: '`respond_by` passed without an answer',
  confirmed: 'The club confirmed the acceptance',
  withdrawn: 'The club withdrew it; `withdrawal_reason` says why',
});

export const refusalReason = namedEnum('ClubRefusalReason', REFUSAL_REASONS, {
  no_truck: 'No truck is free',
  too_far: 'The place is too far away',
  wrong_equipment: 'The job needs equipment that the company lacks',
  price: 'The offered amount is too low',
  outside_hours: 'The company does not work at this time',
  unsafe: 'The job is not safe',
  other: 'Another reason, in `note`',
});

export const withdrawalReason = namedEnum('ClubWithdrawalReason', WITHDRAWAL_REASONS, {
  cancelled: 'The motorist or the club cancelled',
  goa: 'Gone on arrival: the motorist or the vehicle was gone',
});

export const clubProgress = namedEnum('ClubProgress', CLUB_PROGRESS, {
  waiting: 'No truck is assigned',
  dispatched: 'A truck is assigned',
  en_route: 'The driver is on the way to the vehicle',
  in_progress: 'The work has begun',
  on_scene: 'The driver is at the vehicle',
  hooked: 'The vehicle is hooked or loaded',
  towing: 'On the way to the destination',
  at_destination: 'At the destination',
  cleared: 'The vehicle is unloaded',
  completed: 'The job is done',
  cancelled: 'The tow company cancelled the job',
});
