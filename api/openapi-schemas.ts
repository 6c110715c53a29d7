import type Joi from 'joi';
import { sampleOf } from '../shared/contracts/sample.js';
import {
  classNameOf,
  type OpenApiSchema,
  toInlineOpenApi,
  toOpenApi,
} from '../shared/contracts/to-openapi.js';
import { envelopeSchemas, resources } from '../shared/resources/index.js';
import { EXAMPLES } from './openapi-examples.js';

/**
 * Component name → Joi schema. Each schema is described only once: its name stands in the whole
 * description, which takes a millisecond to make.
 */
const namedSchemas = new Map<string, Joi.Schema>(
  [...resources.map((resource) => resource.schemas), envelopeSchemas as Record<string, Joi.Schema>]
    .flatMap((schemas) => Object.values(schemas))
    .map((schema) => [classNameOf(schema) ?? '', schema]),
);

/** @throws {Error} if no schema has this component name. */
export function schemaNamed(name: string): Joi.Schema {
  const found = namedSchemas.get(name);
  if (!found) throw new Error(`no schema is called ${name}`);
  return found;
}

/** The components of every named schema. Queries are left out: they become parameters. */
export function componentSchemas(): Record<string, OpenApiSchema> {
  const named = [...namedSchemas].filter(([name]) => name !== '' && !/Query$|Revoke$/.test(name));
  return Object.fromEntries(named.map(([name, schema]) => [name, describeDefaults(toOpenApi(schema))]));
}

/**
 * Says defaults in words. Generators of typed clients take a member with `default` for one that is
 * always there, so a request could not leave it out.
 */
function describeDefaults(node: OpenApiSchema): OpenApiSchema {
  const { default: value, properties, items, ...rest } = node;
  const words = value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`];
  const description = [...(rest.description ? [asSentence(String(rest.description))] : []), ...words].join(
    ' ',
  );
  return {
    ...rest,
    ...(words.length > 0 ? { description } : {}),
    ...(properties ? { properties: describeEach(properties as Record<string, OpenApiSchema>) } : {}),
    ...(items ? { items: describeDefaults(items as OpenApiSchema) } : {}),
  };
}

function describeEach(schemas: Record<string, OpenApiSchema>): Record<string, OpenApiSchema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describeDefaults(schema)]),
  );
}

const asSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * The example of a component: a whole one where there is one, else made of its members' own
 * examples.
 */
export function exampleOf(name: string): unknown {
  return EXAMPLES[name] ?? sampleOf(toInlineOpenApi(schemaNamed(name)));
}
