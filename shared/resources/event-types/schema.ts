import Joi from 'joi';
import { allRequired } from '../../contracts/schemas/fields.js';
import { EVENT_TYPES } from '../../contracts/vocabulary.js';

export const eventTypeView = allRequired({
  type: Joi.string()
    .example(EVENT_TYPES[0])
    .description(`One of ${EVENT_TYPES.join(', ')}. Later versions may add types`),
  description: Joi.string().example('An invoice was created'),
  fires_when: Joi.string().example('an invoice is created by hand, by an agent or from a work order'),
  operational: Joi.boolean()
    .example(false)
    .description('True for events about the service itself, such as webhooks and exports'),
  schema: Joi.object()
    .description('JSON Schema (2020-12) of the whole delivered body')
    .example({ type: 'object' }),
  example: Joi.object().description('A complete example body').example({ type: EVENT_TYPES[0] }),
}).meta({ className: 'EventType' });
