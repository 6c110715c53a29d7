import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  ClubOfferAccept,
  ClubOfferConfirm,
  ClubOfferCreate,
  ClubOfferExpire,
  ClubOfferGone,
  ClubOfferRefuse,
  ClubOfferWithdraw,
} from '../../contracts/generated.js';
import {
  clubOfferAccept,
  clubOfferConfirm,
  clubOfferCreate,
  clubOfferExpire,
  clubOfferGone,
  clubOfferRefuse,
  clubOfferWithdraw,
} from './schema.js';

/** An offer with the club that makes it, which the api takes from the key. */
export type NewClubOffer = ClubOfferCreate & { club_id: string; club: string };

export const createClubOffer = defineCommand<NewClubOffer>({
  type: 'club_offer.create',
  action: 'club_offer.created',
  creates: true,
  schema: clubOfferCreate as unknown as Joi.ObjectSchema<NewClubOffer>,
  permission: 'club_offers',
  conflictKeys: ({ club_id, reference }) => [`club_offer:${club_id}:${reference}`],
});

export const confirmClubOffer = defineCommand<ClubOfferConfirm>({
  type: 'club_offer.confirm',
  action: 'club_offer.confirmed',
  schema: clubOfferConfirm,
  permission: 'club_offers',
});

export const withdrawClubOffer = defineCommand<ClubOfferWithdraw>({
  type: 'club_offer.withdraw',
  // The names of audit actions must end in -ed, so `club_offer.withdrawn` is not possible.
  action: 'club_offer.withdrawal_recorded',
  schema: clubOfferWithdraw,
  permission: 'club_offers',
});

export const reportGone = defineCommand<ClubOfferGone>({
  type: 'club_offer.report_gone',
  action: 'club_offer.gone_reported',
  schema: clubOfferGone,
  permission: 'club_offers',
});

// Accepting and refusing dispatch, so they require the permission of dispatching.

export const acceptClubOffer = defineCommand<ClubOfferAccept>({
  type: 'club_offer.accept',
  action: 'club_offer.accepted',
  schema: clubOfferAccept,
  permission: 'approve',
  // Commands that want the same truck run one after another, so the error of the second names the
  // work order of the first.
  conflictKeys: ({ truck_id }) => (truck_id ? [`entity:${truck_id}`] : []),
});

export const refuseClubOffer = defineCommand<ClubOfferRefuse>({
  type: 'club_offer.refuse',
  action: 'club_offer.refused',
  schema: clubOfferRefuse,
  permission: 'approve',
});

/** Only the clock submits this command. */
export const expireClubOffer = defineCommand<ClubOfferExpire>({
  type: 'club_offer.expire',
  action: 'club_offer.expired',
  schema: clubOfferExpire,
  permission: 'admin',
});
