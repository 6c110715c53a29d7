import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { deliveryState } from '../invoices/schema.js';
import { messageChannel } from './enums.js';
import { messageFields, messageListFields } from './fields.js';

export { messageChannel };

export const messageListItem = messageListFields.response.meta({ className: 'MessageListItem' });

export const message = messageFields.response.meta({ className: 'Message' });

/** The body of an action on a message. It is empty, because the path names the message. */
export const messageAction = Joi.object({}).meta({ className: 'MessageAction' });

export const messageListQuery = Joi.object({
  invoice_id: uuid(),
  channel: messageChannel,
  state: deliveryState,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'MessageListQuery' });
