import Joi from 'joi';
import { agentScope } from '../../contracts/enums.js';
import { allRequired, cursor, dateTime, flag, limit, text, uuid } from '../../contracts/fields.js';
import { AGENT_SCOPES } from '../../contracts/vocabulary.js';

const name = () => text(100).example('Billing agent');

/** The nearest ancestor of the list is the key. */
const onlyReadingIfReadOnly: Joi.CustomValidator<string[]> = (scopes, helpers) => {
  const writing = scopes.filter((one) => !one.startsWith('read_'));
  const isReadOnly = helpers.state.ancestors[0]?.read_only === true;
  return isReadOnly && writing.length > 0
    ? helpers.error('array.readOnly', { writing: writing.join(', ') })
    : scopes;
};

export const agentKeyCreate = Joi.object({
  name: name().required(),
  scopes: Joi.array()
    .items(agentScope)
    .min(1)
    .max(AGENT_SCOPES.length)
    .unique()
    .custom(onlyReadingIfReadOnly)
    .required()
    .description('What the agent may do: each tool takes one of them, none implies another')
    .example(['read_invoices', 'write_invoices_draft']),
  read_only: flag().default(false).description('A read-only key holds only scopes that begin with read_'),
  expires_at: dateTime().allow(null).description('When the key ends by itself'),
}).meta({ className: 'AgentKeyCreate' });

const keys = () => ({
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

export const agentKey = allRequired(keys()).meta({ className: 'AgentKey' });

export const agentKeyWithSecret = allRequired({
  ...keys(),
  key: Joi.string()
    .allow(null)
    .example('tk_agent_…')
    .description('The credential itself, shown in this answer only; null in a dry run'),
}).meta({ className: 'AgentKeyWithSecret' });

export const agentKeyListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'AgentKeyListQuery',
});
