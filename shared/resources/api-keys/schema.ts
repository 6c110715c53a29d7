import Joi from 'joi';
import { cursor, integer, limit } from '../../contracts/schemas/fields.js';
import { apiKeyFields } from './fields.js';

export const apiKeyCreate = Joi.object(apiKeyFields.creation).meta({ className: 'ApiKeyCreate' });

export const apiKeyRoll = Joi.object({
  overlap_hours: integer(0, 168)
    .default(24)
    .description('How long the old key keeps working; 0 ends it immediately'),
}).meta({ className: 'ApiKeyRoll' });

export const apiKeyRevoke = Joi.object({}).meta({ className: 'ApiKeyRevoke' });

export const apiKey = apiKeyFields.response.meta({ className: 'ApiKey' });

export const apiKeyWithSecret = apiKeyFields.response
  .keys({
    key: Joi.string()
      .required()
      .allow(null)
      .example('tk_live_…')
      .description('The credential itself, returned only in this response; null in a dry run'),
  })
  .meta({ className: 'ApiKeyWithSecret' });

export const apiKeyListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'ApiKeyListQuery',
});
