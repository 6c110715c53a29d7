export const CLUB_OFFER_STATUSES = [
  'received',
  'accepted',
  'refused',
  'expired',
  'confirmed',
  'withdrawn',
] as const;
export type ClubOfferStatus = (typeof CLUB_OFFER_STATUSES)[number];

/** The parties that move an offer: the account's people and keys, the club, and the clock. */
export type OfferMover = 'account' | 'club' | 'clock';

/** The status changes of an offer, with the parties that may make them. */
export const CLUB_OFFER_MOVES: Readonly<
  Record<ClubOfferStatus, readonly { to: ClubOfferStatus; by: OfferMover }[]>
> = {
  received: [
    { to: 'accepted', by: 'account' },
    { to: 'refused', by: 'account' },
    { to: 'expired', by: 'clock' },
    { to: 'withdrawn', by: 'club' },
  ],
  accepted: [
    { to: 'confirmed', by: 'club' },
    { to: 'withdrawn', by: 'club' },
  ],
  confirmed: [{ to: 'withdrawn', by: 'club' }],
  refused: [],
  expired: [],
  withdrawn: [],
};

export function canMoveOffer(from: ClubOfferStatus, to: ClubOfferStatus, mover: OfferMover): boolean {
  return CLUB_OFFER_MOVES[from].some((move) => move.to === to && move.by === mover);
}

/** Lists the statuses that may follow, for the details of an error. */
export function listNextOfferStatuses(status: ClubOfferStatus): ClubOfferStatus[] {
  return CLUB_OFFER_MOVES[status].map(({ to }) => to);
}

export const REFUSAL_REASONS = [
  'no_truck',
  'too_far',
  'wrong_equipment',
  'price',
  'outside_hours',
  'unsafe',
  'other',
] as const;

export const WITHDRAWAL_REASONS = ['cancelled', 'goa'] as const;
export type WithdrawalReason = (typeof WITHDRAWAL_REASONS)[number];
