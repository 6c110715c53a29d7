import Joi from 'joi';
import { agentScope } from '../../contracts/enums.js';
import {
  allRequired,
  cursor,
  dateTime,
  limit,
  strictBoolean,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';
import { AGENT_SCOPES } from '../../contracts/vocabulary.js';

const name = () => text(100).example('Billing agent');

/** A read-only key accepts only read scopes. `ancestors[0]` is the key that contains the list. */
const checkReadOnlyScopes: Joi.CustomValidator<string[]> = (scopes, helpers) => {
  const writeScopes = scopes.filter((scope) => !scope.startsWith('read_'));
  const isReadOnly = helpers.state.ancestors[0]?.read_only === true;
  return isReadOnly && writeScopes.length > 0
    ? helpers.error('array.readOnly', { writing: writeScopes.join(', ') })
    : scopes;
};

export const agentKeyCreate = Joi.object({
  name: name().required(),
  scopes: Joi.array()
    .items(agentScope)
    .min(1)
    .max(AGENT_SCOPES.length)
    .unique()
    .custom(checkReadOnlyScopes)
    .required()
    .description('What the agent may do. Each tool requires one scope; no scope implies another')
    .example(['read_invoices', 'write_invoices_draft']),
  read_only: strictBoolean()
    .default(false)
    .description('A read-only key can have only scopes that begin with read_'),
  expires_at: dateTime().allow(null).description('When the key expires'),
}).meta({ className: 'AgentKeyCreate' });

const keyMembers = () => ({
  id: uuid(),
  kind: Joi.string().valid('agent'),
  name: name(),
  prefix: Joi.string().example('tk_agent_'),
  last_four: Joi.string().example('9sXk'),
  scopes: Joi.array().items(agentScope),
  read_only: Joi.boolean(),
  created_at: dateTime(),
  expires_at: dateTime().allow(null),
  revoked_at: dateTime().allow(null),
  last_used_at: dateTime().allow(null),
});

export const agentKey = allRequired(keyMembers()).meta({ className: 'AgentKey' });

export const agentKeyWithSecret = allRequired({
  ...keyMembers(),
  key: Joi.string()
    .allow(null)
    .example('tk_agent_…')
    .description('The credential itself, returned only in this response; null in a dry run'),
}).meta({ className: 'AgentKeyWithSecret' });

export const agentKeyListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'AgentKeyListQuery',
});
