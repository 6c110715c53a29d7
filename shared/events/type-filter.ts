import type Joi from 'joi';
import { text } from '../contracts/schemas/fields.js';
import { TYPE_FILTER } from './event-types.js';

const FORMAT = 'be an event type (invoice.paid), all of a kind (invoice.*) or *';

export function typeFilter(): Joi.StringSchema {
  return text(100)
    .pattern(TYPE_FILTER, FORMAT)
    .description('One type, all of a kind (invoice.*), or *')
    .example('invoice.*');
}
