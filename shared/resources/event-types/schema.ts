import Joi from 'joi';
import { allRequired } from '../../contracts/fields.js';
import { EVENT_TYPES } from '../../contracts/vocabulary.js';

export const eventTypeView = allRequired({
  type: Joi.string()
    .example(EVENT_TYPES[0])
    .description(`Now there are ${EVENT_TYPES.join(', ')}`),
  description: Joi.string().example('An invoice was created'),
  fires_when: Joi.string().example('an invoice is created, by hand, by an agent or from a job'),
  operational: Joi.boolean()
    .example(false)
    .description('It tells of webhooks themselves, not of the business'),
  schema: Joi.object()
    .description('JSON Schema (2020-12) of the whole body that is delivered')
    .example({ type: 'object' }),
  example: Joi.object().description('A whole body').example({ type: EVENT_TYPES[0] }),
}).meta({ className: 'EventType' });
