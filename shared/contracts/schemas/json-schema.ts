import type { OpenApiSchema } from './to-openapi.js';

/** @param schema an OpenAPI 3.0.3 schema without references */
export function toJsonSchema(schema: OpenApiSchema): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...rewrite(schema) };
}

/**
 * Rewrites the parts that JSON Schema expresses in another way: null as a type, exclusive bounds as
 * numbers, and examples as a list.
 */
function rewrite(node: OpenApiSchema): Record<string, unknown> {
  const { nullable, exclusiveMinimum, minimum, example, properties, items, ...rest } = node;
  return {
    ...rest,
    ...(nullable ? { type: [rest.type, 'null'] } : {}),
    ...(minimum === undefined ? {} : { [exclusiveMinimum ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(properties ? { properties: rewriteEach(properties as Record<string, OpenApiSchema>) } : {}),
    ...(items ? { items: rewrite(items as OpenApiSchema) } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function rewriteEach(schemas: Record<string, OpenApiSchema>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, rewrite(schema)]));
}
