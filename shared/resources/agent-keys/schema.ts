import Joi from 'joi';
import { cursor, limit } from '../../contracts/schemas/fields.js';
import { agentKeyFields } from './fields.js';

export const agentKeyCreate = Joi.object(agentKeyFields.creation).meta({ className: 'AgentKeyCreate' });

export const agentKey = agentKeyFields.response.meta({ className: 'AgentKey' });

export const agentKeyWithSecret = agentKeyFields.response
  .keys({
    key: Joi.string()
      .required()
      .allow(null)
      .example('tk_agent_…')
      .description('The credential itself, returned only in this response; null in a dry run'),
  })
  .meta({ className: 'AgentKeyWithSecret' });

export const agentKeyListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'AgentKeyListQuery',
});
