import Joi from 'joi';
import { allRequired } from '../../contracts/fields.js';
import { toJsonSchema } from '../../contracts/json-schema.js';
import { sampleOf } from '../../contracts/sample.js';
import { toInlineOpenApi } from '../../contracts/to-openapi.js';
import { type EventType, OPERATIONAL_EVENT_TYPES } from '../../contracts/vocabulary.js';
import { eventEnvelope } from '../events/envelope.js';
import { CATALOGUE } from './catalogue.js';

type Json = Record<string, unknown>;

/** An event type as GET /event-types/{type} returns it. */
export interface EventTypeView {
  type: EventType;
  description: string;
  fires_when: string;
  operational: boolean;
  schema: Json;
  example: Json;
}

/** Builds the schema of the whole body of an event of this type. */
export function bodySchema(type: EventType): Joi.ObjectSchema {
  const { description, object, extra } = CATALOGUE[type];
  return allRequired({
    ...eventEnvelope(Joi.string().valid(type)),
    data: allRequired({ object, ...extra }),
  })
    .description(description)
    .meta({ className: componentOf(type) });
}

/**
 * Returns the name of an event type's component in the OpenAPI document, for example
 * `InvoicePaidEvent` for `invoice.paid`.
 */
export function componentOf(type: EventType): string {
  const words = type.split(/[._]/).map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Event`;
}

const views = new Map<EventType, EventTypeView>();

/**
 * Describes an event type as published. Describing all types takes a tenth of a second, so each one
 * is described on its first request.
 */
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
    operational: OPERATIONAL_EVENT_TYPES.some((name) => name === type),
    schema: toJsonSchema(schema),
    example: deepMerge(sampleOf(schema) as Json, { data: example }),
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
