import { type OpenApiSchema, toOpenApi } from '../shared/contracts/to-openapi.js';
import { dryRun } from '../shared/resources/operations/schema.js';
import { exampleOf, schemaNamed } from './openapi-schemas.js';

type Json = Record<string, unknown>;

/**
 * The member of an operation that holds the answers which a plain call does not get: a Responses
 * Object.
 */
export const OTHER_ANSWERS = 'x-other-responses';

/** The 202 of a write that an agent key may have to leave to a person. */
const HELD_ANSWER = '#/components/responses/AcceptedOrHeld';

interface Kind {
  isWrite: boolean;
  /** True: needs no credential. */
  isOpen: boolean;
}

/**
 * What an operation answers. `responses` holds one success, that of a plain call, so that generated
 * clients return the resource itself. The dry run and the late commit are `other` (docs/adr/0016).
 */
export function answersOf(declared: Json, kind: Kind): { responses: Json; other: Json | undefined } {
  const { 'x-errors': errors = [], ...successes } = declared as { 'x-errors'?: number[] } & Record<
    string,
    Json
  >;
  const isHeld = successes['202']?.$ref === HELD_ANSWER;
  if (isHeld) delete successes['202'];
  const responses: Json = {};
  for (const [status, response] of Object.entries(successes))
    responses[status] = successOf(response as Json, status, kind);
  for (const status of errors) responses[status] = { $ref: `#/components/responses/Error${status}` };
  // An authenticated route can also get a bad X-Environment or Accept header, or meet a fault of
  // ours.
  if (!kind.isOpen)
    for (const status of [400, 406, 500])
      responses[status] = { $ref: `#/components/responses/Error${status}` };
  return {
    responses,
    other: kind.isWrite ? otherAnswers(successes as Record<string, Json>, isHeld) : undefined,
  };
}

function otherAnswers(successes: Record<string, Json>, isHeld: boolean): Json {
  const name = Object.values(successes)
    .map(resourceIn)
    .find((found) => found !== undefined);
  if (!name) throw new Error('a write answers a resource');
  const schemas = [`DryRunOf${name}`, ...(isHeld ? ['DryRunOfHeld'] : []), 'WriteReceipt'];
  const schema = { anyOf: schemas.map((each) => ({ $ref: `#/components/schemas/${each}` })) };
  const example = { ok: true, dry_run: true, data: exampleOf(name), warnings: [] };
  return {
    '200': {
      description: `With X-Service-Dry-Run: the ${name} as it would have been answered; nothing is stored. A key that may not read the ${name} gets its id alone when nothing was changed`,
      headers: headersFor({ isWrite: true, isOpen: false }),
      content: { 'application/json': { schema, example } },
    },
    '202': { $ref: isHeld ? HELD_ANSWER : '#/components/responses/Accepted' },
  };
}

const resourceIn = (response: Json) => response['x-resource'] as string | undefined;

/** The components of all dry runs that a document refers to. */
export function dryRunSchemas(document: Json): Record<string, OpenApiSchema> {
  const names = JSON.stringify(document).matchAll(/"#\/components\/schemas\/DryRunOf(\w+)"/g);
  const found = new Set([...names].map(([, name]) => name as string));
  return Object.fromEntries([...found].map((name) => [`DryRunOf${name}`, dryRunSchema(name)]));
}

function dryRunSchema(name: string): OpenApiSchema {
  return toOpenApi(dryRun.keys({ data: schemaNamed(name).required() }));
}

function successOf(response: Json, status: string, kind: Kind): Json {
  const list = response['x-list'] as string | undefined;
  const resource = resourceIn(response);
  const name = list ?? resource;
  if (!name) return response;
  const headers = {
    ...headersFor(kind),
    ...(resource && isVersioned(response) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...(status === '200' ? {} : { Location: { $ref: '#/components/headers/Location' } }),
  };
  const example = exampleOf(name);
  if (list) {
    const page = { ok: true, data: { items: [example], cursor: null, count: 1 } };
    return { description: 'One page', headers, content: jsonContent(listSchema(name), page) };
  }
  const description = status === '202' ? `The ${name}, at the beginning of its work` : `The ${name}`;
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, headers, content: jsonContent(schema, example) };
}

const jsonContent = (schema: Json, example: unknown) => ({ 'application/json': { schema, example } });

/** Records that know when they were changed have a version. */
export function isVersioned(response: unknown): boolean {
  const name = resourceIn((response ?? {}) as Json);
  const { keys = {} } = name ? (schemaNamed(name).describe() as { keys?: Json }) : {};
  return 'updated_at' in keys;
}

/** Header on the wire → component. */
const HEADERS = {
  everywhere: { 'X-Request-Id': 'XRequestId' },
  authenticated: {
    'X-RateLimit-Remaining': 'XRateLimitRemaining',
    RateLimit: 'RateLimit',
    'RateLimit-Policy': 'RateLimitPolicy',
    'X-Service-Warnings': 'XServiceWarnings',
  },
  written: { 'X-Idempotency-Replay': 'XIdempotencyReplay' },
};

function headersFor({ isOpen, isWrite }: Kind): Json {
  const names = {
    ...HEADERS.everywhere,
    ...(isOpen ? {} : HEADERS.authenticated),
    ...(isWrite ? HEADERS.written : {}),
  };
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
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
