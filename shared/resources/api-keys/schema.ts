import Joi from 'joi';
import { permission, tier } from '../../contracts/enums.js';
import {
  allRequired,
  cursor,
  dateTime,
  integer,
  limit,
  strictBoolean,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { PERMISSIONS } from '../../contracts/vocabulary.js';

const name = () => text(100).example('Dispatch software');
const permissions = () => Joi.array().items(permission).max(PERMISSIONS.length).unique();

export const apiKeyCreate = Joi.object({
  name: name().required(),
  permissions: permissions().min(1).default(['read', 'write']),
  read_only: strictBoolean().default(false),
  tier: tier.allow(null).description("A lower plan tier for this key; null: the account's"),
  expires_at: dateTime().allow(null),
}).meta({ className: 'ApiKeyCreate' });

export const apiKeyRoll = Joi.object({
  overlap_hours: integer(0, 168)
    .default(24)
    .description('How long the old key keeps working; 0 ends it immediately'),
}).meta({ className: 'ApiKeyRoll' });

export const apiKeyRevoke = Joi.object({}).meta({ className: 'ApiKeyRevoke' });

const keyMembers = () => ({
  id: uuid(),
  kind: Joi.string().valid('api', 'agent'),
  name: name(),
  prefix: Joi.string().example('tk_live_'),
  last_four: Joi.string().example('9sXk'),
  permissions: permissions(),
  scopes: Joi.array().items(Joi.string()),
  read_only: Joi.boolean(),
  tier: tier.allow(null),
  created_at: dateTime(),
  expires_at: dateTime().allow(null),
  revoked_at: dateTime().allow(null),
  last_used_at: dateTime().allow(null),
});

export const apiKey = allRequired(keyMembers()).meta({ className: 'ApiKey' });

export const apiKeyWithSecret = allRequired({
  ...keyMembers(),
  key: Joi.string()
    .allow(null)
    .example('tk_live_…')
    .description('The credential itself, returned only in this response; null in a dry run'),
}).meta({ className: 'ApiKeyWithSecret' });

export const apiKeyListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'ApiKeyListQuery',
});
