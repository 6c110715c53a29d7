import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { MessageAction, MessageCreate } from '../../contracts/generated.js';
import { messageAction, messageCreate } from './schema.js';

/** A text that a person wrote, or that the phone menu sends after a call. */
export type NewText = MessageCreate & {
  /** The invoice that the link in the text opens. Only the phone menu sets it. */
  invoice_id?: string;
};

export const createMessage = defineCommand<NewText>({
  type: 'message.create',
  action: 'message.created',
  creates: true,
  schema: messageCreate as Joi.ObjectSchema<NewText>,
  permission: 'write',
});

/** A text that a customer or driver sent to the account's number. */
export interface ReceivedText {
  connection_id: string;
  from: string;
  to: string;
  text: string;
  /** The vendor's id of the text. */
  external_id: string;
  /** The opt-out keyword that the vendor recognized in the text and has answered, if any. */
  opt_out_type: 'STOP' | 'START' | 'HELP' | null;
}

/** Stores an inbound text. The route that receives a vendor's webhooks submits this command. */
export const receiveText = defineCommand<ReceivedText>({
  type: 'message.receive',
  action: 'message.received',
  creates: true,
  schema: Joi.object({
    connection_id: Joi.string().required(),
    from: Joi.string().required(),
    to: Joi.string().required(),
    text: Joi.string().allow('').required(),
    external_id: Joi.string().required(),
    opt_out_type: Joi.string().allow(null).required(),
  }),
  permission: 'admin',
});

export const retryMessage = defineCommand<MessageAction>({
  type: 'message.retry',
  action: 'message.retried',
  schema: messageAction,
  permission: 'approve',
});

/** Revokes the link in a message that reached the wrong person, so that the link opens nothing. */
export const revokeMessageLink = defineCommand<MessageAction>({
  type: 'message.revoke_link',
  action: 'message.link_revoked',
  schema: messageAction,
  permission: 'approve',
});

/** A worker submits this command when the provider has accepted the message. */
export const recordMessageSent = defineCommand<MessageAction>({
  type: 'message.record_sent',
  action: 'message.sent',
  schema: messageAction,
  permission: 'admin',
});

export interface MessageFailure {
  /** The account sees this text. */
  reason: string;
  /** True if the vendor refused the text because the recipient has opted out at the vendor. */
  is_opted_out?: boolean;
  /** True if the text would have exceeded the connection's daily price limit. */
  is_over_limit?: boolean;
}

/** A worker submits this command when the provider has refused the message for good. */
export const recordMessageFailed = defineCommand<MessageFailure>({
  type: 'message.record_failed',
  action: 'message.failed',
  schema: Joi.object({
    reason: Joi.string().required(),
    is_opted_out: Joi.boolean(),
    is_over_limit: Joi.boolean(),
  }),
  permission: 'admin',
});

/**
 * The integrations worker submits this command when the vendor accepted the message but could not
 * deliver it.
 */
export const recordMessageUndelivered = defineCommand<MessageFailure>({
  type: 'message.record_undelivered',
  action: 'message.undelivered',
  schema: Joi.object({ reason: Joi.string().required() }),
  permission: 'admin',
});
