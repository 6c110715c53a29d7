import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { payoutFields, payoutItemFields, payoutItemsStatus, payoutItemType, payoutStatus } from './fields.js';

export { payoutItemsStatus, payoutItemType, payoutStatus };

export const payout = payoutFields.response.meta({ className: 'Payout' });

export const payoutItem = payoutItemFields.response.meta({ className: 'PayoutItem' });

export const payoutListQuery = Joi.object({
  connection_id: uuid(),
  status: payoutStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'PayoutListQuery' });

export const payoutItemListQuery = Joi.object({
  type: payoutItemType,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'PayoutItemListQuery' });
