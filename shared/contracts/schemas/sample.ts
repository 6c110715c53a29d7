import type { OpenApiSchema } from './to-openapi.js';

const SAMPLE_ID = '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e';

/**
 * Builds a sample value from the examples in a schema, else from its defaults, enums and types.
 * @param schema a schema without references
 */
export function buildSample(schema: OpenApiSchema): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return (schema.enum as unknown[])[0];
  if (schema.type === 'object') {
    const members = Object.entries((schema.properties ?? {}) as Record<string, OpenApiSchema>);
    return Object.fromEntries(members.map(([key, member]) => [key, buildSample(member)]));
  }
  if (schema.type === 'array') return [buildSample(schema.items as OpenApiSchema)];
  if (schema.format === 'uuid') return SAMPLE_ID;
  if (schema.nullable) return null;
  return { string: 'text', integer: 1, number: 1, boolean: true }[schema.type as string] ?? {};
}
