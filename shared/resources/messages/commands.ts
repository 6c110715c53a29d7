import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { MessageAction } from '../../contracts/generated.js';
import { messageAction } from './schema.js';

const shared = { entityType: 'message', creates: false, agentScope: null } as const;

export const retryMessage = defineCommand<MessageAction>({
  ...shared,
  type: 'message.retry',
  action: 'message.retried',
  schema: messageAction,
  permission: 'approve',
});

/** For a message that went to the wrong person: its link opens nothing any more. */
export const revokeMessageLink = defineCommand<MessageAction>({
  ...shared,
  type: 'message.revoke_link',
  action: 'message.link_revoked',
  schema: messageAction,
  permission: 'approve',
});

/** The messages worker's: the provider has accepted the message. */
export const recordMessageSent = defineCommand<MessageAction>({
  ...shared,
  type: 'message.record_sent',
  action: 'message.sent',
  schema: messageAction,
  permission: 'admin',
});

export interface MessageFailure {
  /** In words for the account. */
  reason: string;
}

/** The messages worker's: the provider will not take the message. */
export const recordMessageFailed = defineCommand<MessageFailure>({
  ...shared,
  type: 'message.record_failed',
  action: 'message.failed',
  schema: Joi.object({ reason: Joi.string().required() }),
  permission: 'admin',
});
