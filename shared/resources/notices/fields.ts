import Joi from 'joi';
import { dateTime, slug, uuid } from '../../contracts/schemas/fields.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { NOTICE_KINDS } from './kinds.js';

export const noticeFields = defineFields({
  id: recordId(),
  kind: { output: slug(NOTICE_KINDS) },
  title: { output: Joi.string().example('A webhook endpoint was disabled') },
  text: {
    output: Joi.string()
      .example('example.com was disabled, because it answered 410 Gone: it asks never to be called again.')
      .description('What happened, since when, and what to do'),
  },
  entity_type: { output: Joi.string().example('webhook_endpoint') },
  entity_id: { output: uuid().description('The record that it is about') },
  created_at: time(),
  read_at: time(dateTime().allow(null).description('When a person of the account marked it as read')),
  mailed_at: time(
    dateTime()
      .allow(null)
      .description(
        'When the mail server accepted it for the first person of the account; null when it was mailed to no one',
      ),
  ),
});
