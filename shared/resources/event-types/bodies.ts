import Joi from 'joi';
import { allRequired } from '../../contracts/fields.js';
import { toJsonSchema } from '../../contracts/json-schema.js';
import { sampleOf } from '../../contracts/sample.js';
import { toInlineOpenApi } from '../../contracts/to-openapi.js';
import { type EventType, OPERATIONAL_EVENT_TYPES } from '../../contracts/vocabulary.js';
import { eventEnvelope } from '../events/envelope.js';
import { CATALOGUE } from './catalogue.js';

type Json = Record<string, unknown>;

/** As GET /event-types/{type} shows it. */
export interface EventTypeView {
  type: EventType;
  description: string;
  fires_when: string;
  operational: boolean;
  schema: Json;
  example: Json;
}

/** Schema of the whole body of an event of this type. */
export function bodySchema(type: EventType): Joi.ObjectSchema {
  const { description, object, extra } = CATALOGUE[type];
  return allRequired({
    ...eventEnvelope(Joi.string().valid(type)),
    data: allRequired({ object, ...extra }),
  })
    .description(description)
    .meta({ className: componentOf(type) });
}

/** Its component in the OpenAPI document: `invoice.paid` is `InvoicePaidEvent`. */
export function componentOf(type: EventType): string {
  const words = type.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

const views = new Map<EventType, EventTypeView>();

/** A type as it is published. Describing all of them takes a tenth of a second, so each is described when it is first asked for. */
export function eventTypeView(type: EventType): EventTypeView {
  const view = views.get(type) ?? describe(type);
  views.set(type, view);
  return view;
}

function describe(type: EventType): EventTypeView {
  const { description, firesWhen, example } = CATALOGUE[type];
  const schema = toInlineOpenApi(bodySchema(type), 'explained');
  return {
    type,
    description,
    fires_when: firesWhen,
    operational: OPERATIONAL_EVENT_TYPES.some((one) => one === type),
    schema: toJsonSchema(schema),
    example: merged(sampleOf(schema) as Json, { data: example }),
  };
}

function merged(made: Json, set: Json): Json {
  const members = Object.entries(set).map(([name, value]) => {
    const before = made[name];
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...made, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
