import type { CommandHandlers } from '../../contracts/command.js';
import { retryMessages, revokeMessageLinks } from './action-handlers.js';
import { recordMessagesFailed, recordMessagesSent, recordMessagesUndelivered } from './record-handler.js';
import { createMessages, receiveTexts } from './text-handlers.js';

export const messageHandlers: CommandHandlers = {
  'message.create': createMessages,
  'message.receive': receiveTexts,
  'message.retry': retryMessages,
  'message.revoke_link': revokeMessageLinks,
  'message.record_sent': recordMessagesSent,
  'message.record_failed': recordMessagesFailed,
  'message.record_undelivered': recordMessagesUndelivered,
};
