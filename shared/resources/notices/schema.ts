import Joi from 'joi';
import { allRequired, cursor, dateTime, limit, slug, uuid } from '../../contracts/schemas/fields.js';
import { NOTICE_KINDS } from './kinds.js';

export const notice = allRequired({
  id: uuid(),
  kind: slug(NOTICE_KINDS),
  title: Joi.string().example('A webhook endpoint was disabled'),
  text: Joi.string()
    .example('example.com was disabled, because it answered 410 Gone: it asks never to be called again.')
    .description('What happened, since when, and what to do'),
  entity_type: Joi.string().example('webhook_endpoint'),
  entity_id: uuid().description('The record that it is about'),
  created_at: dateTime(),
  read_at: dateTime().allow(null).description('When a person of the account marked it as read'),
  mailed_at: dateTime()
    .allow(null)
    .description(
      'When the mail server accepted it for the first person of the account; null when it was mailed to no one',
    ),
}).meta({ className: 'Notice' });

/** The path holds all input. */
export const noticeRead = Joi.object({}).meta({ className: 'NoticeRead' });

export const noticeListQuery = Joi.object({
  unread: Joi.boolean().description('true: only unread notices; false: only notices marked as read'),
  kind: slug(NOTICE_KINDS),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'NoticeListQuery' });
