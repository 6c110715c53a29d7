import type { CommandHandlers } from '../../../contracts/command.js';
import { acceptClubOffers, refuseClubOffers } from './answer-offers.js';
import { createClubOffers } from './create-offers.js';
import { confirmClubOffers, expireClubOffers, takeBackOffers } from './move-offers.js';

export const clubOfferHandlers: CommandHandlers = {
  'club_offer.create': createClubOffers,
  'club_offer.accept': acceptClubOffers,
  'club_offer.refuse': refuseClubOffers,
  'club_offer.expire': expireClubOffers,
  'club_offer.confirm': confirmClubOffers,
  'club_offer.withdraw': takeBackOffers('cancelled'),
  'club_offer.report_gone': takeBackOffers('goa'),
};
