import Joi from 'joi';
import { allRequired, cursor, dateOrDateTime, limit } from '../../contracts/fields.js';
import { TYPE_FILTER } from '../../events/event-types.js';
import { typeFilter } from '../../events/type-filter.js';
import { eventEnvelope } from './envelope.js';

const FILTERS_FORM = 'list event types (invoice.paid), kinds (invoice.*) or * with commas between';

/** The body of an event as it was recorded, and as webhooks deliver it (decisions 8). */
export const event = allRequired({
  ...eventEnvelope(Joi.string().example('invoice.created')),
  data: Joi.object({
    object: Joi.object().required().description('The record as REST showed it at that moment'),
  })
    .unknown()
    .description('Some types carry more beside the object')
    .example({ object: { id: '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e', status: 'draft' } }),
}).meta({ className: 'Event' });

export const eventListQuery = Joi.object({
  type: typeFilter(),
  since: dateOrDateTime().description("From this timestamp on; a date is the account's midnight"),
  until: dateOrDateTime().description("Before this timestamp; a date is the account's midnight"),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'EventListQuery' });

/** Filters of a stream, told as one text. */
const typeFilters = () =>
  Joi.string()
    .max(1000)
    .custom((value: string, helpers) => {
      const filters = value.split(',').map((filter) => filter.trim());
      return filters.every((filter) => TYPE_FILTER.test(filter))
        ? filters.join(',')
        : helpers.error('string.pattern.name', { name: FILTERS_FORM });
    });

export const eventStreamQuery = Joi.object({
  types: typeFilters()
    .description(
      'Event types with commas between; invoice.* is all of a kind, * everything. Left out: everything',
    )
    .example('invoice.*,dispatch.assigned'),
  last_event_id: Joi.string()
    .allow('')
    .max(100)
    .description(
      'As the header Last-Event-ID, for a first connection that cannot set it; the header goes before',
    ),
}).meta({ className: 'EventStreamQuery' });
