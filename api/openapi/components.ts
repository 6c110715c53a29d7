import { toOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { dryRun } from '../../shared/resources/operations/schema.js';
import { getExample, getSchema } from './schemas.js';

export type Json = Record<string, unknown>;

/** Operations add the components that they refer to. */
export interface Components {
  schemas: Record<string, Json>;
  parameters: Record<string, Json>;
  headers: Record<string, Json>;
  responses: Record<string, Json>;
  examples: Record<string, Json>;
}

/** The response of a dry run has the named resource as `data`. */
export function referToDryRun({ schemas }: Components, name: string): Json {
  const component = `DryRunOf${name}`;
  schemas[component] ??= toOpenApi(dryRun.keys({ data: getSchema(name).required() }));
  return referToSchema(component);
}

/** All responses with the same resource share an example. */
export function referToExample({ examples }: Components, name: string): Json {
  examples[name] ??= { value: getExample(name) };
  return { $ref: `#/components/examples/${name}` };
}

/** Several operations share a response. The first operation builds it. */
export function referToResponse({ responses }: Components, name: string, build: () => Json): Json {
  responses[name] ??= build();
  return { $ref: `#/components/responses/${name}` };
}

export const referToSchema = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
