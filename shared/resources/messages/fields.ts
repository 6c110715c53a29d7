import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/schemas/fields.js';
import { type Field, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { messageChannel, messageDirection, messageState } from './enums.js';

const LIST_FIELDS: Readonly<Record<string, Field>> = {
  id: recordId(),
  invoice_id: { output: uuid().allow(null).description('null for a text that concerns no invoice') },
  channel: { output: messageChannel },
  recipient: {
    output: Joi.string().example('billing@example.com').description('Mail address or phone number'),
  },
  subject: { output: Joi.string().allow(null).example('Invoice INV-1001 from Hudson Towing') },
  state: { output: messageState },
  provider: {
    output: Joi.string()
      .example('outbox')
      .description(
        'The provider. outbox: sends nothing, only stores the message here; smtp: the mail server',
      ),
  },
  error: {
    output: Joi.string().allow(null).description('Why it failed, or why the last attempt did'),
  },
  attempts: {
    output: Joi.number().integer().min(0).example(1).description('How often it was offered to its provider'),
  },
  next_attempt_at: {
    output: dateTime().allow(null).description('When it is offered again at the earliest'),
    sql: (alias) => `case when ${alias}.state = 'queued' then ${alias}.attempt_after end`,
    columns: null,
  },
  sent_at: time(dateTime().allow(null)),
  link_expires_at: time(dateTime().allow(null).description('Until when the link in it opens the invoice')),
  link_revoked_at: time(dateTime().allow(null).description('Since when the link opens nothing any more')),
  created_at: time(),
  updated_at: time(),
  invoice_number: { columns: null, csv: 'text' },
  work_order_id: { output: uuid().allow(null) },
  direction: { output: messageDirection },
  sender: {
    output: Joi.string().allow(null).description('The number that sent an inbound text; null for others'),
  },
  template: {
    output: Joi.string()
      .allow(null)
      .example('en_route')
      .description(
        'The template of a text about a job. debit_returned: a mail that a bank debit came back. charge_failed: a mail that an automatic charge was declined',
      ),
  },
  segments: {
    output: Joi.number()
      .integer()
      .min(0)
      .allow(null)
      .example(1)
      .description('The parts in which carriers send and bill a text; null if not counted'),
  },
  job_number: { columns: null, csv: 'text' },
  text: {
    output: Joi.string()
      .allow(null)
      .description('The words of a text between people; null for a message with a link'),
    sql: (alias) =>
      `case when ${alias}.channel = 'sms' and ${alias}.invoice_id is null and ${alias}.template is null then ${alias}.body_text end`,
    columns: null,
    csv: null,
  },
  delivered_at: time(
    dateTime()
      .allow(null)
      .description(
        'When a text arrived, as its vendor reports it; null if no such report came, and in mails',
      ),
  ),
};

/**
 * The fields of a message in lists and exports. They do not include the body, because the body
 * contains a link that opens the invoice without a key.
 */
export const messageListFields = defineFields(LIST_FIELDS);

/** The fields of a single message, including the body. */
export const messageFields = defineFields({
  ...LIST_FIELDS,
  body_text: { output: Joi.string().example('Invoice INV-1001 from Hudson Towing') },
  body_html: { output: Joi.string().allow(null).description('null in a text message') },
});
