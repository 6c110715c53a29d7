import type { CommandHandlers } from '../../contracts/command.js';
import { retryMessages, revokeMessageLinks } from './action-handlers.js';
import { recordMessagesFailed, recordMessagesSent } from './record-handler.js';

export const messageHandlers: CommandHandlers = {
  'message.retry': retryMessages,
  'message.revoke_link': revokeMessageLinks,
  'message.record_sent': recordMessagesSent,
  'message.record_failed': recordMessagesFailed,
};
