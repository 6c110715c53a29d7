import { toOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { dryRun } from '../../shared/resources/operations/schema.js';
import { getExample, getSchema } from './schemas.js';

export type Json = Record<string, unknown>;

/**
 * The components of the OpenAPI document. A function that builds an operation adds the components
 * that the operation refers to.
 */
export interface Components {
  schemas: Record<string, Json>;
  parameters: Record<string, Json>;
  headers: Record<string, Json>;
  responses: Record<string, Json>;
  examples: Record<string, Json>;
}

/**
 * Returns a reference to the schema of a dry run's response, whose `data` is the named resource.
 * Adds the schema if it is missing.
 */
export function referToDryRun({ schemas }: Components, name: string): Json {
  const component = `DryRunOf${name}`;
  schemas[component] ??= toOpenApi(dryRun.keys({ data: getSchema(name).required() }));
  return referToSchema(component);
}

/**
 * Returns a reference to the example of the named resource, which all responses with this resource
 * share. Adds the example if it is missing.
 */
export function referToExample({ examples }: Components, name: string): Json {
  examples[name] ??= { value: getExample(name) };
  return { $ref: `#/components/examples/${name}` };
}

/**
 * Returns a reference to a response that several operations share. Calls `build` only if the
 * response is missing.
 */
export function referToResponse({ responses }: Components, name: string, build: () => Json): Json {
  responses[name] ??= build();
  return { $ref: `#/components/responses/${name}` };
}

export const referToSchema = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
