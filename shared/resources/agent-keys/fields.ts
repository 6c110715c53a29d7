import Joi from 'joi';
import { agentScope } from '../../contracts/enums.js';
import { dateTime, strictBoolean, text } from '../../contracts/schemas/fields.js';
import { AGENT_SCOPES } from '../../contracts/vocabulary.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';

/**
 * Refuses write scopes on a read-only key. In Joi, `ancestors[0]` is the object that contains this
 * list: the key.
 */
const checkReadOnlyScopes: Joi.CustomValidator<string[]> = (scopes, helpers) => {
  const writeScopes = scopes.filter((scope) => !scope.startsWith('read_'));
  const isReadOnly = helpers.state.ancestors[0]?.read_only === true;
  return isReadOnly && writeScopes.length > 0
    ? helpers.error('array.readOnly', { writing: writeScopes.join(', ') })
    : scopes;
};

/** The fields of an agent key. None of them contains the credential itself. */
export const agentKeyFields = defineFields({
  id: recordId(),
  kind: { output: Joi.string().valid('agent') },
  name: { input: text(100).example('Billing agent'), isRequired: true, columns: 'text' },
  prefix: { output: Joi.string().example('tk_agent_') },
  last_four: { output: Joi.string().example('9sXk') },
  scopes: {
    input: Joi.array()
      .items(agentScope)
      .min(1)
      .max(AGENT_SCOPES.length)
      .unique()
      .custom(checkReadOnlyScopes)
      .description('What the agent may do. Each tool requires one scope; no scope implies another')
      .example(['read_invoices', 'write_invoices_draft']),
    isRequired: true,
    output: Joi.array().items(agentScope),
    columns: 'text[]',
  },
  read_only: {
    input: strictBoolean()
      .default(false)
      .description('A read-only key can have only scopes that begin with read_'),
    output: Joi.boolean(),
    columns: 'boolean',
  },
  created_at: time(),
  expires_at: {
    input: dateTime().allow(null).description('When the key expires'),
    output: dateTime().allow(null),
    columns: 'timestamptz',
  },
  revoked_at: time(dateTime().allow(null)),
  last_used_at: time(dateTime().allow(null)),
});
