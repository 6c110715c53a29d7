import Joi from 'joi';
import { cursor, limit, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import { messageChannel, messageDirection, messageState } from './enums.js';
import { messageFields, messageListFields } from './fields.js';

export { messageChannel, messageDirection, messageState };

export const messageListItem = messageListFields.response.meta({ className: 'MessageListItem' });

export const message = messageFields.response.meta({ className: 'Message' });

/** The body of an action on a message. It is empty, because the path names the message. */
export const messageAction = Joi.object({}).meta({ className: 'MessageAction' });

export const messageCreate = Joi.object({
  work_order_id: uuid().description('The job that the text concerns'),
  to: text(32).example('+15185550123').description("Default: the job's contact_phone"),
  text: multilineText(1600).required().example('The driver is at the gate.'),
}).meta({ className: 'MessageCreate' });

export const messageListQuery = Joi.object({
  invoice_id: uuid(),
  work_order_id: uuid(),
  channel: messageChannel,
  direction: messageDirection,
  state: messageState,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'MessageListQuery' });
