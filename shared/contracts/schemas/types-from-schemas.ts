import type Joi from 'joi';
import { getClassName, type OpenApiSchema, toOpenApi } from './to-openapi.js';

/**
 * Builds the JSON Schema from which the types of validated values are generated. A member with a
 * default is required, because validation fills it in. Component references become definitions. The
 * schema omits descriptions.
 */
export function toTypeSchema(schemas: Joi.Schema[]): OpenApiSchema {
  const named = schemas.flatMap((schema) => {
    const name = getClassName(schema);
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
  // Delete descriptions, which are texts. A member named `description` is a schema, and stays.
  if (typeof rest.description === 'string') delete rest.description;
  const out: OpenApiSchema = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === 'default' || key === 'enum' ? value : rewrite(value),
    ]),
  );
  if (typeof out.$ref === 'string')
    return { $ref: out.$ref.replace('#/components/schemas/', '#/definitions/') };
  // Bounds do not affect a type. They would only lengthen the generated comments.
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
