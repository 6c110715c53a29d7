import type Joi from 'joi';
import swaggerJsdoc from 'swagger-jsdoc';
import { toOpenApi, toQueryParameters } from '../../shared/contracts/schemas/to-openapi.js';
import { buildCallbackComponents, buildEventCallbacks } from './callbacks.js';
import { introduction } from './introduction.js';
import { buildDryRunSchemas, buildResponses, isVersioned, OTHER_RESPONSES } from './responses.js';
import { buildComponentSchemas, getExample, getSchema } from './schemas.js';
import { errorResponses, securitySchemes, sharedHeaders, sharedParameters } from './shared.js';
import { sortPaths, tags } from './tags.js';
import { dropUnusedSchemas } from './unused.js';

type Json = Record<string, unknown>;
type Operation = Json & { responses: Json; parameters?: unknown[] };

/**
 * Builds the OpenAPI 3.0.3 document. The @openapi blocks of the routes define verb, path and status
 * codes. Everything else comes from the Joi schemas. The `x-` members of a block are shorthands
 * that are expanded here, so that comments never list fields.
 * @param sources globs of the route files
 */
export function buildOpenApiDocument(sources: string[]): Json {
  const document = swaggerJsdoc({
    failOnErrors: true,
    apis: sources,
    definition: {
      openapi: '3.0.3',
      info: {
        title: 'Tow Dispatch API',
        version: '1.0.0',
        description: introduction,
        contact: { name: 'Support', url: 'https://example.com/support' },
        license: { name: 'Proprietary', url: 'https://example.com/terms' },
      },
      servers: [{ url: '/api/v1' }],
      security: [{ bearerAuth: [] }, { sessionCookie: [] }],
      tags,
      components: {
        securitySchemes,
        headers: sharedHeaders,
        parameters: sharedParameters,
        responses: errorResponses,
        schemas: buildComponentSchemas(),
      },
    },
  }) as { paths: Record<string, Record<string, Operation>>; components: Record<string, Json> } & Json;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (takeMember(operation, 'x-callbacks') === 'events')
        addEventCallbacks(operation, document.components);
      expandShorthands(operation, { path, method });
    }
  }
  Object.assign(document.components.schemas as Json, buildDryRunSchemas(document));
  dropUnusedSchemas(document);
  return { ...document, paths: sortPaths(document.paths) };
}

/** Adds the callbacks and the components that only the callbacks refer to. */
function addEventCallbacks(operation: Operation, components: Record<string, Json>): void {
  operation.callbacks = buildEventCallbacks(operation.tags);
  for (const [kind, added] of Object.entries(buildCallbackComponents()))
    Object.assign(components[kind] as Json, added);
}

function expandShorthands(operation: Operation, { path, method }: { path: string; method: string }): void {
  const parameters = [...(operation.parameters ?? [])];
  for (const [, name] of path.matchAll(/\{(\w+)\}/g))
    parameters.unshift({ $ref: `#/components/parameters/${name}` });
  const query = takeMember(operation, 'x-query');
  if (query) parameters.push(...toQueryParameters(getSchema(query) as Joi.ObjectSchema));
  const body = takeMember(operation, 'x-body');
  const isWrite = (operation['x-write'] as boolean | undefined) ?? body !== undefined;
  delete operation['x-write'];
  if (takeMember(operation, 'x-security') === 'session') operation.security = [{ sessionCookie: [] }];
  if (isWrite) {
    parameters.push(
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/DryRun' },
    );
  }
  const isChange = isWrite && isVersioned(operation.responses['200']);
  if (isChange) parameters.push({ $ref: '#/components/parameters/IfMatch' });
  if (body) operation.requestBody = buildRequestBody(body, method);
  if (parameters.length > 0) operation.parameters = parameters;
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0;
  const { responses, other } = buildResponses(operation.responses, { isWrite, isPublic });
  operation.responses = responses;
  if (other) operation[OTHER_RESPONSES] = other;
  if (isChange) operation.responses['412'] = { $ref: '#/components/responses/Error412' };
}

function takeMember(operation: Json, member: string): string | undefined {
  const value = operation[member];
  delete operation[member];
  return typeof value === 'string' ? value : undefined;
}

function buildRequestBody(name: string, method: string): Json {
  const schema = toOpenApi(getSchema(name)) as { required?: string[] };
  return {
    // Optional for a PATCH, where an empty body changes nothing, and where no member is required.
    required: method === 'post' && (schema.required?.length ?? 0) > 0,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example: getExample(name) },
    },
  };
}
