import type { CommandHandlers } from '../../contracts/command.js';
import { createAgentKeys, revokeKeys, rollKeys } from '../api-keys/handlers.js';

export const agentKeyHandlers: CommandHandlers = {
  'agent_key.create': createAgentKeys,
  'agent_key.roll': rollKeys('agent'),
  'agent_key.revoke': revokeKeys('agent'),
};
