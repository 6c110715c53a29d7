import Joi from 'joi';
import { dateTime, uuid } from '../../contracts/fields.js';
import { ENVIRONMENTS } from '../../contracts/vocabulary.js';

/** What stands around an event's data. */
export function eventEnvelope(type: Joi.Schema): Record<string, Joi.Schema> {
  return {
    id: uuid(),
    type,
    api_version: Joi.string().valid('v1'),
    timestamp: dateTime(),
    tenant_id: uuid(),
    environment: Joi.string().valid(...ENVIRONMENTS),
  };
}
