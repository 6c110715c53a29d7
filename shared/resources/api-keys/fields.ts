import Joi from 'joi';
import { permission, tier } from '../../contracts/enums.js';
import { dateTime, strictBoolean, text, uuid } from '../../contracts/schemas/fields.js';
import { PERMISSIONS } from '../../contracts/vocabulary.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

const permissions = () => Joi.array().items(permission).max(PERMISSIONS.length).unique();

/** The fields of an API key. None of them contains the credential itself. */
export const apiKeyFields = defineFields({
  id: recordId(),
  kind: { output: Joi.string().valid('api', 'agent') },
  name: { input: text(100).example('Dispatch software'), isRequired: true, columns: 'text' },
  prefix: { output: Joi.string().example('tk_live_') },
  last_four: { output: Joi.string().example('9sXk') },
  permissions: {
    input: permissions().min(1).default(['read', 'write']),
    output: permissions(),
    columns: 'text[]',
  },
  scopes: { output: Joi.array().items(Joi.string()) },
  read_only: { input: strictBoolean().default(false), output: Joi.boolean(), columns: 'boolean' },
  tier: {
    input: tier.allow(null).description("A lower plan tier for this key; null: the account's"),
    output: tier.allow(null),
    columns: 'text',
  },
  created_at: time(),
  expires_at: { input: dateTime().allow(null), columns: 'timestamptz' },
  revoked_at: time(dateTime().allow(null)),
  last_used_at: time(dateTime().allow(null)),
  club_id: {
    output: uuid()
      .allow(null)
      .example(null)
      .description("For a motor club's key: the club, which is the id of its first key"),
  },
});
