import Joi from 'joi';
import { allRequired, cursor, dateOrDateTime, limit } from '../../contracts/schemas/fields.js';
import { TYPE_FILTER } from '../../events/event-types.js';
import { typeFilter } from '../../events/type-filter.js';
import { buildEnvelopeSchema } from './envelope.js';

const FILTERS_FORM = 'list event types (invoice.paid), kinds (invoice.*) or *, separated by commas';

/** The body of an event as it was recorded, and as webhooks deliver it (docs/decisions.md §8). */
export const event = allRequired({
  ...buildEnvelopeSchema(Joi.string().example('invoice.created')),
  data: Joi.object({
    object: Joi.object().required().description('The record as REST showed it at that moment'),
  })
    .unknown()
    .description('Some types have more members besides object')
    .example({ object: { id: '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e', status: 'draft' } }),
}).meta({ className: 'Event' });

export const eventListQuery = Joi.object({
  type: typeFilter(),
  since: dateOrDateTime().description("From this timestamp on; a date is the account's midnight"),
  until: dateOrDateTime().description("Before this timestamp; a date is the account's midnight"),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'EventListQuery' });

/** The type filters of a stream, separated by commas. */
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
      'Event types, separated by commas. invoice.* matches all types of a kind, * matches all types. Default: all types',
    )
    .example('invoice.*,dispatch.assigned'),
  last_event_id: Joi.string()
    .allow('')
    .max(100)
    .description(
      'Same as the header Last-Event-ID, for a first connection that cannot set it. The header takes precedence',
    ),
  changes: Joi.boolean().description(
    'true: also send `changed` after any write of the account, also one without an event, at most twice a second. It has no id, and may be lost with a connection: it says that reading again is worthwhile. Its data is {"only":"positions"} if vendors have only moved trucks, else {}. Default: false',
  ),
}).meta({ className: 'EventStreamQuery' });
