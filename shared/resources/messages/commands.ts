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

/**
 * For a message that reached the wrong person: revokes its link, so that the link opens nothing.
 */
export const revokeMessageLink = defineCommand<MessageAction>({
  type: 'message.revoke_link',
  action: 'message.link_revoked',
  schema: messageAction,
  permission: 'approve',
});

/** Submitted by the messages worker when the provider has accepted the message. */
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

/** Submitted by the messages worker when the provider has refused the message for good. */
export const recordMessageFailed = defineCommand<MessageFailure>({
  type: 'message.record_failed',
  action: 'message.failed',
  schema: Joi.object({ reason: Joi.string().required() }),
  permission: 'admin',
});
