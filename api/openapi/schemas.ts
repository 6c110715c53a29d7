import type Joi from 'joi';
import { buildSample } from '../../shared/contracts/schemas/sample.js';
import {
  getClassName,
  type OpenApiSchema,
  toInlineOpenApi,
  toOpenApi,
} from '../../shared/contracts/schemas/to-openapi.js';
import { envelopeSchemas, resources } from '../../shared/registry/resources.js';
import { EXAMPLES } from './examples.js';

/**
 * All schemas by component name. This map is built once: Joi must describe a schema to find its
 * name, which takes a millisecond.
 */
const namedSchemas = new Map<string, Joi.Schema>(
  [...resources.map((resource) => resource.schemas), envelopeSchemas as Record<string, Joi.Schema>]
    .flatMap((schemas) => Object.values(schemas))
    .map((schema) => [getClassName(schema) ?? '', schema]),
);

/** @throws {Error} if no schema has this component name */
export function getSchema(name: string): Joi.Schema {
  const found = namedSchemas.get(name);
  if (!found) throw new Error(`no schema is named ${name}`);
  return found;
}

/**
 * Builds the document's schemas. Leaves out queries, because they become parameters, and the empty
 * bodies of DELETE requests.
 */
export function buildComponentSchemas(): Record<string, OpenApiSchema> {
  const named = [...namedSchemas].filter(([name]) => name !== '' && !/Query$|Revoke$/.test(name));
  return Object.fromEntries(named.map(([name, schema]) => [name, describeDefaults(toOpenApi(schema))]));
}

/**
 * Moves each default into the description. Generators of typed clients treat a member with
 * `default` as always present, so their users could not omit the member in a request.
 */
function describeDefaults(node: OpenApiSchema): OpenApiSchema {
  const { default: value, properties, items, ...rest } = node;
  const defaultText = value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`];
  const description = [
    ...(rest.description ? [toSentence(String(rest.description))] : []),
    ...defaultText,
  ].join(' ');
  return {
    ...rest,
    ...(defaultText.length > 0 ? { description } : {}),
    ...(properties ? { properties: describeEach(properties as Record<string, OpenApiSchema>) } : {}),
    ...(items ? { items: describeDefaults(items as OpenApiSchema) } : {}),
  };
}

function describeEach(schemas: Record<string, OpenApiSchema>): Record<string, OpenApiSchema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, describeDefaults(schema)]),
  );
}

const toSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

/** Returns the complete example of a component, or builds an example from its members' examples. */
export function getExample(name: string): unknown {
  return EXAMPLES[name] ?? buildSample(toInlineOpenApi(getSchema(name)));
}
