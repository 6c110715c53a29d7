import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type { ApiKeyCreate, ApiKeyRoll } from '../../contracts/generated.js';
import type { KeyMaterial } from './credential.js';
import { apiKeyCreate, apiKeyRevoke, apiKeyRoll } from './schema.js';

/**
 * An input with the stored parts of a new key. The API process creates the key, so the command
 * contains only the key's hash and encrypted form.
 */
export type WithKeyMaterial<T> = T & { material: KeyMaterial };

export const createApiKey = defineCommand<WithKeyMaterial<ApiKeyCreate>>({
  type: 'api_key.create',
  action: 'api_key.created',
  permission: 'admin',
  creates: true,
  schema: apiKeyCreate as Joi.ObjectSchema<WithKeyMaterial<ApiKeyCreate>>,
});

/**
 * Creates a successor of a key, with the same rights. The old key stops working after the overlap.
 */
export const rollApiKey = defineCommand<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>({
  type: 'api_key.roll',
  action: 'api_key.rolled',
  permission: 'admin',
  creates: true,
  schema: apiKeyRoll as Joi.ObjectSchema<WithKeyMaterial<ApiKeyRoll> & { from_id: string }>,
  conflictKeys: (input) => [`entity:${input.from_id}`],
});

export const revokeApiKey = defineCommand<Record<string, never>>({
  type: 'api_key.revoke',
  action: 'api_key.revoked',
  permission: 'admin',
  schema: apiKeyRevoke,
});
