import type { OpenApiSchema } from './to-openapi.js';

/** @param schema OpenAPI 3.0.3 without references */
export function toJsonSchema(schema: OpenApiSchema): Record<string, unknown> {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...rewrite(schema) };
}

/** In JSON Schema null is a type, exclusive bounds are numbers, and examples are a list. */
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
