/** The events about motor clubs' offers. An endpoint of a club gets no other events. */
export const CLUB_OFFER_EVENT_TYPES = [
  'club_offer.created',
  'club_offer.accepted',
  'club_offer.refused',
  'club_offer.expired',
  'club_offer.confirmed',
  'club_offer.withdrawn',
  'club_offer.status_changed',
] as const;
