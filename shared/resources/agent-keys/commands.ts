import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { AgentKeyCreate, ApiKeyRoll } from '../../contracts/generated.js';
import type { WithKeyMaterial } from '../api-keys/commands.js';
import { apiKeyRevoke, apiKeyRoll } from '../api-keys/schema.js';
import { agentKeyCreate } from './schema.js';

export const createAgentKey = defineCommand<WithKeyMaterial<AgentKeyCreate>>({
  type: 'agent_key.create',
  action: 'agent_key.created',
  permission: 'admin',
  creates: true,
  schema: agentKeyCreate as Joi.ObjectSchema<WithKeyMaterial<AgentKeyCreate>>,
});

export const rollAgentKey = defineCommand<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>({
  type: 'agent_key.roll',
  action: 'agent_key.rolled',
  permission: 'admin',
  creates: true,
  schema: apiKeyRoll as Joi.ObjectSchema<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>,
  conflictKeys: (input) => [`entity:${input.from_id}`],
});

export const revokeAgentKey = defineCommand<Record<string, never>>({
  type: 'agent_key.revoke',
  action: 'agent_key.revoked',
  permission: 'admin',
  schema: apiKeyRevoke,
});
