import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { allRequired, cursor, dateTime, limit, uuid } from '../../contracts/schemas/fields.js';
import { deliveryState } from '../invoices/schema.js';

export const messageChannel = namedEnum('MessageChannel', ['email', 'sms'], {
  email: 'A mail',
  sms: 'A text message',
});

const listKeys = () => ({
  id: uuid(),
  invoice_id: uuid(),
  channel: messageChannel,
  recipient: Joi.string().example('billing@example.com').description('Mail address or phone number'),
  subject: Joi.string().allow(null).example('Invoice INV-1001 from Hudson Towing'),
  state: deliveryState,
  provider: Joi.string()
    .example('outbox')
    .description('The provider. outbox: sends nothing, only stores the message here; smtp: the mail server'),
  error: Joi.string().allow(null).description('Why it failed, or why the last attempt did'),
  attempts: Joi.number().integer().min(0).example(1).description('How often it was offered to its provider'),
  next_attempt_at: dateTime().allow(null).description('When it is offered again at the earliest'),
  sent_at: dateTime().allow(null),
  link_expires_at: dateTime().allow(null).description('Until when the link in it opens the invoice'),
  link_revoked_at: dateTime().allow(null).description('Since when the link opens nothing any more'),
  created_at: dateTime(),
  updated_at: dateTime(),
});

export const messageListItem = allRequired(listKeys()).meta({ className: 'MessageListItem' });

export const message = allRequired({
  ...listKeys(),
  body_text: Joi.string().example('Invoice INV-1001 from Hudson Towing'),
  body_html: Joi.string().allow(null).description('null in a text message'),
}).meta({ className: 'Message' });

/** The path holds all input of these actions. */
export const messageAction = Joi.object({}).meta({ className: 'MessageAction' });

export const messageListQuery = Joi.object({
  invoice_id: uuid(),
  channel: messageChannel,
  state: deliveryState,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'MessageListQuery' });
