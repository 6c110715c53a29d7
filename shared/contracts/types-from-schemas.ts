import type Joi from 'joi';
import { classNameOf, type OpenApiSchema, toOpenApi } from './to-openapi.js';

/**
 * A JSON Schema for the types of validated values: null becomes a type of its own, and a member with a default is always there.
 * Component references become definitions.
 */
export function toTypeSchema(schemas: Joi.Schema[]): OpenApiSchema {
  const named = schemas.flatMap((schema) => {
    const name = classNameOf(schema);
    return name ? [[name, rewrite(toOpenApi(schema)) as OpenApiSchema] as const] : [];
  });
  const definitions = Object.fromEntries(named);
  return {
    title: 'Contracts',
    type: 'object',
    additionalProperties: false,
    definitions,
    properties: Object.fromEntries(named.map(([name]) => [name, { $ref: `#/definitions/${name}` }])),
  };
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, example: _example, ...rest } = node as OpenApiSchema;
  const out: OpenApiSchema = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'default' || key === 'enum' ? value : rewrite(value),
    ]),
  );
  if (typeof out.$ref === 'string')
    return { $ref: out.$ref.replace('#/components/schemas/', '#/definitions/') };
  // Only these matter to a type; bounds would only lengthen the comments.
  for (const bound of [
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'maxProperties',
    'minimum',
    'maximum',
    'exclusiveMinimum',
  ]) {
    delete out[bound];
  }
  if (out.type === 'object') addDefaults(out);
  if (!nullable) return out;
  return out.type ? { ...out, type: [out.type, 'null'] } : { anyOf: [out, { type: 'null' }] };
}

function addDefaults(schema: OpenApiSchema): void {
  const properties = (schema.properties ?? {}) as Record<string, OpenApiSchema>;
  const defaulted = Object.keys(properties).filter((key) => properties[key]?.default !== undefined);
  const required = [...((schema.required as string[] | undefined) ?? []), ...defaulted];
  if (required.length > 0) schema.required = required;
  schema.additionalProperties ??= false;
}
