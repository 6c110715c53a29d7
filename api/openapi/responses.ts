import type { RouteFacts } from '../runtime/route-facts.js';
import {
  type Components,
  type Json,
  referToDryRun,
  referToExample,
  referToResponse,
  referToSchema,
} from './components.js';
import { getExample, getSchema } from './schemas.js';

/** The facts about an operation that determine its responses. */
export interface Operation {
  method: string;
  path: string;
  facts: RouteFacts;
  /** True if the operation needs no credential. */
  isPublic: boolean;
  /**
   * The component name of the records in the response. Undefined for a response without records.
   */
  record: string | undefined;
  isList: boolean;
  /** True if an agent's write may be held for a person's approval. */
  isHeld: boolean;
}

/**
 * Builds the success response of a call that is no dry run and is committed in time. Each operation
 * has only one such response, so that generated clients return the resource itself
 * (docs/adr/0016-openapi-for-generated-clients.md).
 */
export function buildSuccess(operation: Operation, components: Components): Json {
  const { method, path, record, facts, isList, isPublic } = operation;
  if (!record) throw new Error(`${method} ${path}: name the resource that it returns (x-resource, x-list)`);
  const status = facts.write?.status ?? facts.status ?? 200;
  const build = () => (isList ? buildPage(operation, record) : buildRecord(operation, record, components));
  // Do not share this response, because public operations have fewer headers than other operations.
  if (isPublic) return { [status]: build() };
  return { [status]: referToResponse(components, `${record}${nameSuccess(operation)}`, build) };
}

const WRITE_NAMES = { 200: 'Written', 201: 'Created', 202: 'Accepted' };

/**
 * Returns the suffix of the response's component name. A record's responses need different names if
 * they have different headers.
 */
function nameSuccess({ facts, isList }: Operation): string {
  if (isList) return 'Page';
  return facts.write ? WRITE_NAMES[facts.write.status] : 'Read';
}

function buildPage(operation: Operation, record: string): Json {
  const example = { ok: true, data: { items: [getExample(record)], cursor: null, count: 1 } };
  return {
    description: 'One page',
    headers: buildHeaders(operation),
    content: { 'application/json': { schema: buildPageSchema(record), example } },
  };
}

function buildRecord(operation: Operation, record: string, components: Components): Json {
  const status = operation.facts.write?.status ?? 200;
  return {
    description: status === 202 ? `The ${record}, created now and processed later` : `The ${record}`,
    headers: {
      ...buildHeaders(operation),
      ...(isVersioned(record) ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
      ...(status === 200 || !operation.facts.write
        ? {}
        : { Location: { $ref: '#/components/headers/Location' } }),
    },
    content: {
      'application/json': {
        schema: referToSchema(record),
        examples: { [record]: referToExample(components, record) },
      },
    },
  };
}

/**
 * Builds the responses to special calls: 200 with the preview of a dry run, and 202 for a write
 * that is committed late.
 */
export function buildOtherResponses(operation: Operation, components: Components): Json {
  const { record = '', isHeld } = operation;
  const build = () => buildPreview(operation, record, components);
  return {
    '200': referToResponse(components, `${record}Preview${isHeld ? 'OrHeld' : ''}`, build),
    '202': { $ref: `#/components/responses/${isHeld ? 'AcceptedOrHeld' : 'Accepted'}` },
  };
}

function buildPreview(operation: Operation, record: string, components: Components): Json {
  const previews = [record, ...(operation.isHeld ? ['Held'] : [])];
  const anyOf = [...previews.map((each) => referToDryRun(components, each)), referToSchema('WriteReceipt')];
  const example = { ok: true, dry_run: true, data: getExample(record), warnings: [] };
  return {
    description: `With X-Service-Dry-Run: a preview of the ${record}; nothing is stored. A key that may not read the ${record} gets only its id when nothing was changed`,
    headers: buildHeaders(operation),
    content: { 'application/json': { schema: { anyOf }, example } },
  };
}

/** True if the record has the member `updated_at`, which is its version. */
export function isVersioned(record: string): boolean {
  const { keys = {} } = getSchema(record).describe() as { keys?: Json };
  return 'updated_at' in keys;
}

/** Maps the name of an HTTP header to its component name. */
const HEADERS = {
  always: { 'X-Request-Id': 'XRequestId' },
  limited: {
    'X-RateLimit-Remaining': 'XRateLimitRemaining',
    RateLimit: 'RateLimit',
    'RateLimit-Policy': 'RateLimitPolicy',
  },
  warned: { 'X-Service-Warnings': 'XServiceWarnings' },
  writes: {
    'X-Idempotency-Replay': 'XIdempotencyReplay',
    'X-Service-Consistency-Token': 'XServiceConsistencyToken',
  },
};

function buildHeaders({ isPublic, facts }: Operation): Json {
  return referToHeaders({
    ...HEADERS.always,
    ...(isPublic ? {} : { ...HEADERS.limited, ...HEADERS.warned }),
    ...(facts.write ? HEADERS.writes : {}),
  });
}

function referToHeaders(components: Record<string, string>): Json {
  const entries = Object.entries(components);
  return Object.fromEntries(entries.map(([name, one]) => [name, { $ref: `#/components/headers/${one}` }]));
}

/** Adds the common headers to the success responses that a block describes itself. */
export function addHeaders({ isPublic }: Operation, successes: Record<string, Json>): Json {
  if (isPublic) return successes;
  const headers = referToHeaders({ ...HEADERS.always, ...HEADERS.limited });
  const entries = Object.entries(successes);
  return Object.fromEntries(entries.map(([status, response]) => [status, { ...response, headers }]));
}

function buildPageSchema(record: string): Json {
  return {
    type: 'object',
    required: ['ok', 'data'],
    properties: {
      ok: { type: 'boolean', enum: [true] },
      data: {
        type: 'object',
        required: ['items', 'cursor', 'count'],
        properties: {
          items: { type: 'array', items: referToSchema(record) },
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
