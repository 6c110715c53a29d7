import Joi from 'joi';
import { allRequired } from '../../contracts/schemas/fields.js';
import { toJsonSchema } from '../../contracts/schemas/json-schema.js';
import { buildSample } from '../../contracts/schemas/sample.js';
import { toInlineOpenApi } from '../../contracts/schemas/to-openapi.js';
import { type EventType, OPERATIONAL_EVENT_TYPES } from '../../contracts/vocabulary.js';
import { buildEnvelopeSchema } from '../events/envelope.js';
import { EVENT_TYPE_CATALOGUE } from './catalogue.js';

type Json = Record<string, unknown>;

export interface EventTypeView {
  type: EventType;
  description: string;
  fires_when: string;
  operational: boolean;
  schema: Json;
  example: Json;
}

export function buildEventSchema(type: EventType): Joi.ObjectSchema {
  const { description, object, extra } = EVENT_TYPE_CATALOGUE[type];
  return allRequired({
    ...buildEnvelopeSchema(Joi.string().valid(type)),
    data: allRequired({ object, ...extra }),
  })
    .description(description)
    .meta({ className: toEventComponentName(type) });
}

/**
 * Returns the name of an event type's component in the OpenAPI document: `InvoicePaidEvent` for
 * `invoice.paid`.
 */
export function toEventComponentName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

const views = new Map<EventType, EventTypeView>();

/**
 * Describes an event type, and caches the result. Describing all types takes a tenth of a second,
 * so each type is described on its first request.
 */
export function describeEventType(type: EventType): EventTypeView {
  const view = views.get(type) ?? describe(type);
  views.set(type, view);
  return view;
}

function describe(type: EventType): EventTypeView {
  const { description, firesWhen, example } = EVENT_TYPE_CATALOGUE[type];
  const schema = toInlineOpenApi(buildEventSchema(type), 'explained');
  return {
    type,
    description,
    fires_when: firesWhen,
    operational: OPERATIONAL_EVENT_TYPES.some((name) => name === type),
    schema: toJsonSchema(schema),
    example: deepMerge(buildSample(schema) as Json, { data: example }),
  };
}

function deepMerge(base: Json, overrides: Json): Json {
  const members = Object.entries(overrides).map(([name, value]) => {
    const before = base[name];
    return [name, isObject(before) && isObject(value) ? deepMerge(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
