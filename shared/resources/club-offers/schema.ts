import Joi from 'joi';
import { cursor, integer, limit, multilineText, uuid } from '../../contracts/schemas/fields.js';
import { clubOfferStatus, clubProgress, refusalReason, withdrawalReason } from './enums.js';
import { clubOfferFields } from './fields.js';

export { clubOfferStatus, clubProgress, refusalReason, withdrawalReason };

const note = () => multilineText(500).allow(null);

export const clubOffer = clubOfferFields.response.meta({ className: 'ClubOffer' });

export const clubOfferCreate = Joi.object(clubOfferFields.creation).meta({ className: 'ClubOfferCreate' });

export const clubOfferAccept = Joi.object({
  eta_minutes: integer(1, 1440).required().example(35).description('Minutes until the truck arrives'),
  truck_id: uuid()
    .allow(null)
    .description('Dispatches this truck. By default the work order waits for a truck'),
  customer_id: uuid()
    .allow(null)
    .description("Who is billed. Default: the customer of the club's last accepted offer, if any"),
}).meta({ className: 'ClubOfferAccept' });

export const clubOfferRefuse = Joi.object({
  reason: refusalReason.required(),
  note: note().example('All trucks are out until nine').description('The club reads it'),
}).meta({ className: 'ClubOfferRefuse' });

export const clubOfferConfirm = Joi.object({}).meta({ className: 'ClubOfferConfirm' });

export const clubOfferWithdraw = Joi.object({
  note: note().example('The motorist got it started'),
}).meta({ className: 'ClubOfferWithdraw' });

export const clubOfferGone = Joi.object({ note: note() }).meta({ className: 'ClubOfferGone' });

export const clubOfferExpire = Joi.object({}).meta({ className: 'ClubOfferExpire' });

export const clubOfferListQuery = Joi.object({
  status: clubOfferStatus,
  reference: Joi.string().max(64),
  work_order_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ClubOfferListQuery' });
