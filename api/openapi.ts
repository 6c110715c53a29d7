import type Joi from 'joi';
import swaggerJsdoc from 'swagger-jsdoc';
import { sampleOf } from '../shared/contracts/sample.js';
import {
  classNameOf,
  type OpenApiSchema,
  toInlineOpenApi,
  toOpenApi,
  toParameters,
} from '../shared/contracts/to-openapi.js';
import { envelopeSchemas, resources } from '../shared/resources/index.js';
import { callbackComponents, eventCallbacks } from './openapi-callbacks.js';
import {
  acceptedResource,
  errorResponses,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
  unchangedAnswers,
} from './openapi-shared.js';
import { tags } from './openapi-tags.js';
import { dropUnusedSchemas } from './openapi-unused.js';

type Json = Record<string, unknown>;
type Operation = Json & { responses: Json; parameters?: unknown[] };

/**
 * The OpenAPI 3.0.3 document: the routes' @openapi blocks say verb, path and codes, everything else comes from the Joi schemas. The `x-` members
 * of a block are shorthands that are written out here, so no field is ever typed into a comment.
 * @param sources globs of the route files
 */
export function buildDocument(sources: string[]): Json {
  const document = swaggerJsdoc({
    failOnErrors: true,
    apis: sources,
    definition: {
      openapi: '3.0.3',
      info: {
        title: 'Tow Dispatch API',
        version: '1.0.0',
        description:
          'Invoices, work orders and customers of a tow company. Writes travel through a queue and are answered once they are committed. Blanks around a text are dropped before it is checked.',
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
        schemas: componentSchemas(),
      },
    },
  }) as { paths: Record<string, Record<string, Operation>>; components: Record<string, Json> } & Json;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (take(operation, 'x-callbacks') === 'events') addEventCallbacks(operation, document.components);
      complete(operation, { path, method });
    }
  }
  dropUnusedSchemas(document);
  return document;
}

/** Written out beside what they refer to, which nothing else uses. */
function addEventCallbacks(operation: Operation, components: Record<string, Json>): void {
  operation.callbacks = eventCallbacks(operation.tags);
  for (const [kind, added] of Object.entries(callbackComponents()))
    Object.assign(components[kind] as Json, added);
}

/** By name, described once: a schema tells its name only in its whole description, which takes a millisecond. */
const namedSchemas = new Map<string, Joi.Schema>(
  [...resources.map((resource) => resource.schemas), envelopeSchemas as Record<string, Joi.Schema>]
    .flatMap((schemas) => Object.values(schemas))
    .map((schema) => [classNameOf(schema) ?? '', schema]),
);

function schemaNamed(name: string): Joi.Schema {
  const found = namedSchemas.get(name);
  if (!found) throw new Error(`no schema is called ${name}`);
  return found;
}

/** Every named schema but the queries, which become parameters. */
function componentSchemas(): Record<string, OpenApiSchema> {
  const named = [...namedSchemas].filter(([name]) => name !== '' && !/Query$|Revoke$/.test(name));
  return Object.fromEntries(named.map(([name, schema]) => [name, toOpenApi(schema)]));
}

function complete(operation: Operation, { path, method }: { path: string; method: string }): void {
  const parameters = [...(operation.parameters ?? [])];
  for (const [, name] of path.matchAll(/\{(\w+)\}/g))
    parameters.unshift({ $ref: `#/components/parameters/${name}` });
  const query = take(operation, 'x-query');
  if (query) parameters.push(...toParameters(schemaNamed(query) as Joi.ObjectSchema));
  const body = take(operation, 'x-body');
  const isWrite = (operation['x-write'] as boolean | undefined) ?? body !== undefined;
  delete operation['x-write'];
  if (take(operation, 'x-security') === 'session') operation.security = [{ sessionCookie: [] }];
  if (isWrite) {
    parameters.push(
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/DryRun' },
    );
  }
  const isChange = isWrite && isVersioned(operation.responses['200']);
  if (isChange) parameters.push({ $ref: '#/components/parameters/IfMatch' });
  if (body) operation.requestBody = requestBody(body, method);
  if (parameters.length > 0) operation.parameters = parameters;
  const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
  operation.responses = responses(operation.responses, { isWrite, isOpen });
  if (isChange) operation.responses['412'] = { $ref: '#/components/responses/Error412' };
}

/** Records that know when they were changed have a version. */
function isVersioned(response: unknown): boolean {
  const name = (response as { 'x-resource'?: string } | undefined)?.['x-resource'];
  const { keys = {} } = name ? (schemaNamed(name).describe() as { keys?: Json }) : {};
  return 'updated_at' in keys;
}

function take(operation: Json, member: string): string | undefined {
  const value = operation[member];
  delete operation[member];
  return typeof value === 'string' ? value : undefined;
}

function requestBody(name: string, method: string): Json {
  const schema = toOpenApi(schemaNamed(name)) as { required?: string[] };
  return {
    // A PATCH without a body changes nothing, and a body whose every member may be left out may be left out itself.
    required: method === 'post' && (schema.required?.length ?? 0) > 0,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example: exampleOf(name) },
    },
  };
}

function responses(declared: Json, { isWrite, isOpen }: { isWrite: boolean; isOpen: boolean }): Json {
  const { 'x-errors': errors = [], ...rest } = declared as { 'x-errors'?: number[] } & Record<string, Json>;
  const authenticated = !isOpen;
  const out: Json = {};
  for (const [status, response] of Object.entries(rest))
    out[status] = success(response as Json, { status, authenticated, isWrite });
  if (isWrite) {
    out['200'] ??= {
      description: 'A dry run: what the write would have made',
      headers: headersFor(authenticated, true),
      content: dryRunContent(),
    };
    out['202'] ??= { $ref: '#/components/responses/Accepted' };
  }
  for (const status of errors as number[]) out[status] = { $ref: `#/components/responses/Error${status}` };
  // Every route can be asked with an X-Environment that there is not or in a way it does not answer, or meet a fault of ours.
  if (authenticated)
    for (const status of [400, 406, 500]) out[status] = { $ref: `#/components/responses/Error${status}` };
  return out;
}

function success(
  response: Json,
  { status, authenticated, isWrite }: { status: string; authenticated: boolean; isWrite: boolean },
): Json {
  const list = response['x-list'] as string | undefined;
  const resource = response['x-resource'] as string | undefined;
  if (!list && !resource) return response;
  const headers = {
    ...headersFor(authenticated, isWrite),
    ...(resource && isVersioned(response) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(status === '201' ? { Location: { $ref: '#/components/headers/Location' } } : {}),
  };
  const name = (list ?? resource) as string;
  const example = exampleOf(name);
  if (status === '202') return acceptedResource(name, { example, headers });
  if (!list)
    return {
      description: `The ${name}`,
      headers,
      content: resourceContent(name, example, isWrite && status === '200'),
    };
  const schema = listSchema(name);
  const page = { ok: true, data: { items: [example], cursor: null, count: 1 } };
  return { description: 'One page', headers, content: { 'application/json': { schema, example: page } } };
}

function headersFor(authenticated: boolean, isWrite: boolean): Json {
  const names = [
    'XRequestId',
    ...(authenticated ? ['XRateLimitRemaining', 'RateLimit', 'RateLimitPolicy'] : []),
    ...(isWrite ? ['XIdempotencyReplay'] : []),
  ];
  const wire: Record<string, string> = {
    XRequestId: 'X-Request-Id',
    XRateLimitRemaining: 'X-RateLimit-Remaining',
    RateLimit: 'RateLimit',
    RateLimitPolicy: 'RateLimit-Policy',
    XIdempotencyReplay: 'X-Idempotency-Replay',
  };
  return Object.fromEntries(names.map((name) => [wire[name], { $ref: `#/components/headers/${name}` }]));
}

/** A 200 of a write is the resource, or another answer when nothing was changed. */
function resourceContent(name: string, example: unknown, orPreview: boolean): Json {
  const reference = { $ref: `#/components/schemas/${name}` };
  const schema = orPreview ? { anyOf: [reference, ...unchangedAnswers] } : reference;
  return { 'application/json': { schema, example } };
}

function dryRunContent(): Json {
  return {
    'application/json': {
      schema: { $ref: '#/components/schemas/DryRun' },
      example: { ok: true, dry_run: true, data: {}, warnings: [] },
    },
  };
}

function listSchema(name: string): Json {
  return {
    type: 'object',
    required: ['ok', 'data'],
    properties: {
      ok: { type: 'boolean', enum: [true] },
      data: {
        type: 'object',
        required: ['items', 'cursor', 'count'],
        properties: {
          items: { type: 'array', items: { $ref: `#/components/schemas/${name}` } },
          cursor: {
            type: 'string',
            nullable: true,
            description: 'Pass it as `cursor` to get the next page; null on the last',
          },
          count: { type: 'integer', description: 'Items in this page' },
        },
      },
    },
  };
}

/** An example from the members' own examples. */
function exampleOf(name: string): unknown {
  return sampleOf(toInlineOpenApi(schemaNamed(name)));
}
