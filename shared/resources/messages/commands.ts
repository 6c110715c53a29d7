import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { MessageAction } from '../../contracts/generated.js';
import { messageAction } from './schema.js';

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
  /** Shown to the account. */
  reason: string;
}

/** A worker submits this command when the provider has refused the message for good. */
export const recordMessageFailed = defineCommand<MessageFailure>({
  type: 'message.record_failed',
  action: 'message.failed',
  schema: Joi.object({ reason: Joi.string().required() }),
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
