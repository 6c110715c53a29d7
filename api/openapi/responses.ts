import { type OpenApiSchema, toOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { dryRun } from '../../shared/resources/operations/schema.js';
import { getExample, getSchema } from './schemas.js';

type Json = Record<string, unknown>;

/**
 * The extension member of an operation that contains the responses which a plain call does not get:
 * a Responses Object.
 */
export const OTHER_RESPONSES = 'x-other-responses';

/** The 202 of a write that may need approval by a person when an agent key sends it. */
const HELD_RESPONSE = '#/components/responses/AcceptedOrHeld';

interface OperationKind {
  isWrite: boolean;
  /** True if the operation needs no credential. */
  isPublic: boolean;
}

/**
 * Builds the responses of an operation. `responses` contains one success, that of a plain call, so
 * that generated clients return the resource itself. `other` contains the dry run and the 202 of a
 * late commit (docs/adr/0016-openapi-for-generated-clients.md).
 */
export function buildResponses(
  declared: Json,
  kind: OperationKind,
): { responses: Json; other: Json | undefined } {
  const { 'x-errors': errors = [], ...successes } = declared as { 'x-errors'?: number[] } & Record<
    string,
    Json
  >;
  const isHeld = successes['202']?.$ref === HELD_RESPONSE;
  if (isHeld) delete successes['202'];
  const responses: Json = {};
  for (const [status, response] of Object.entries(successes))
    responses[status] = buildSuccessResponse(response as Json, status, kind);
  for (const status of errors) responses[status] = { $ref: `#/components/responses/Error${status}` };
  // An authenticated route also returns 400 for a bad X-Environment, 406 for a bad Accept and 500
  // for an internal failure.
  if (!kind.isPublic)
    for (const status of [400, 406, 500])
      responses[status] = { $ref: `#/components/responses/Error${status}` };
  return {
    responses,
    other: kind.isWrite ? buildOtherResponses(successes as Record<string, Json>, isHeld) : undefined,
  };
}

function buildOtherResponses(successes: Record<string, Json>, isHeld: boolean): Json {
  const name = Object.values(successes)
    .map(getResourceName)
    .find((found) => found !== undefined);
  if (!name) throw new Error('a write must return a resource (x-resource)');
  const schemas = [`DryRunOf${name}`, ...(isHeld ? ['DryRunOfHeld'] : []), 'WriteReceipt'];
  const schema = { anyOf: schemas.map((each) => ({ $ref: `#/components/schemas/${each}` })) };
  const example = { ok: true, dry_run: true, data: getExample(name), warnings: [] };
  return {
    '200': {
      description: `With X-Service-Dry-Run: a preview of the ${name}; nothing is stored. A key that may not read the ${name} gets only its id when nothing was changed`,
      headers: buildHeaders({ isWrite: true, isPublic: false }),
      content: { 'application/json': { schema, example } },
    },
    '202': { $ref: isHeld ? HELD_RESPONSE : '#/components/responses/Accepted' },
  };
}

const getResourceName = (response: Json) => response['x-resource'] as string | undefined;

/** Builds the dry run components that the document refers to. */
export function buildDryRunSchemas(document: Json): Record<string, OpenApiSchema> {
  const names = JSON.stringify(document).matchAll(/"#\/components\/schemas\/DryRunOf(\w+)"/g);
  const found = new Set([...names].map(([, name]) => name as string));
  return Object.fromEntries([...found].map((name) => [`DryRunOf${name}`, buildDryRunSchema(name)]));
}

function buildDryRunSchema(name: string): OpenApiSchema {
  return toOpenApi(dryRun.keys({ data: getSchema(name).required() }));
}

function buildSuccessResponse(response: Json, status: string, kind: OperationKind): Json {
  const list = response['x-list'] as string | undefined;
  const resource = getResourceName(response);
  const name = list ?? resource;
  if (!name) return response;
  const headers = {
    ...buildHeaders(kind),
    ...(resource && isVersioned(response) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(status === '200' ? {} : { Location: { $ref: '#/components/headers/Location' } }),
  };
  const example = getExample(name);
  if (list) {
    const page = { ok: true, data: { items: [example], cursor: null, count: 1 } };
    return { description: 'One page', headers, content: buildJsonContent(buildListSchema(name), page) };
  }
  const description = status === '202' ? `The ${name}, created now and processed later` : `The ${name}`;
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, headers, content: buildJsonContent(schema, example) };
}

const buildJsonContent = (schema: Json, example: unknown) => ({ 'application/json': { schema, example } });

/** A record has a version if it has `updated_at`. */
export function isVersioned(response: unknown): boolean {
  const name = getResourceName((response ?? {}) as Json);
  const { keys = {} } = name ? (getSchema(name).describe() as { keys?: Json }) : {};
  return 'updated_at' in keys;
}

/** HTTP header name to component name. */
const HEADERS = {
  always: { 'X-Request-Id': 'XRequestId' },
  authenticated: {
    'X-RateLimit-Remaining': 'XRateLimitRemaining',
    RateLimit: 'RateLimit',
    'RateLimit-Policy': 'RateLimitPolicy',
    'X-Service-Warnings': 'XServiceWarnings',
  },
  writes: { 'X-Idempotency-Replay': 'XIdempotencyReplay' },
};

function buildHeaders({ isPublic, isWrite }: OperationKind): Json {
  const names = {
    ...HEADERS.always,
    ...(isPublic ? {} : HEADERS.authenticated),
    ...(isWrite ? HEADERS.writes : {}),
  };
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}

function buildListSchema(name: string): Json {
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
            description: 'Pass it as `cursor` to get the next page; null on the last page',
          },
          count: { type: 'integer', description: 'Items in this page' },
        },
      },
    },
  };
}
