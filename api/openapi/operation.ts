import type Joi from 'joi';
import { getClassName, toOpenApi, toQueryParameters } from '../../shared/contracts/schemas/to-openapi.js';
import { RESOURCE_TABLES } from '../../shared/registry/tables.js';
import { OTHER_RESPONSES } from '../reference/view.js';
import type { RouteFacts } from '../runtime/route-facts.js';
import { buildEventCallbacks } from './callbacks.js';
import { type Components, type Json, referToSchema } from './components.js';
import { acceptsIfMatch, listErrors } from './errors.js';
import { sharedQueryParameters } from './parameters.js';
import { addHeaders, buildOtherResponses, buildSuccess, type Operation } from './responses.js';
import { describeRights } from './rights.js';
import type { DocumentedRoute } from './routes.js';
import { getExample } from './schemas.js';

/**
 * One operation in an `@openapi` block. Besides OpenAPI's own members, it has `x-` members for what
 * cannot be derived from the route's facts.
 */
export interface OperationBlock extends Json {
  description?: string;
  tags?: string[];
  security?: unknown[];
  parameters?: Json[];
  requestBody?: Json;
  /**
   * The successful responses, if they contain something other than a JSON record, for example a
   * PDF. Without this member, the successful response is derived from the route's facts.
   */
  responses?: Record<string, Json>;
  /**
   * The component of the record in the response. Needed only if {@link findRecord} finds no record
   * or the wrong record.
   */
  'x-resource'?: string;
  'x-list'?: string;
  /** The error statuses that {@link listErrors} does not derive. */
  'x-errors'?: number[];
  /** True if an agent's write may be held for a person's approval. */
  'x-held'?: boolean;
  /** Set if the request registers a webhook endpoint, to which the service then POSTs events. */
  'x-callbacks'?: 'events';
}

interface Place {
  method: string;
  path: string;
}

/** Builds an operation of the document from its `@openapi` block and its route's facts. */
export function buildOperation(
  block: OperationBlock,
  { method, path, facts }: Place & { facts: Partial<DocumentedRoute> },
  components: Components,
): Json {
  const {
    'x-resource': resource,
    'x-list': list,
    'x-errors': otherErrors = [],
    'x-held': isHeld = false,
    'x-callbacks': callbacks,
    description,
    ...members
  } = block;
  assertNoShorthand(members, `${method} ${path}`);
  const isPublic = block.security?.length === 0;
  const operation: Operation = {
    method,
    path,
    facts,
    isPublic,
    record: list ?? resource ?? findRecord(path, facts),
    isList: list !== undefined || facts.isList === true,
    isHeld,
  };
  const tags = block.tags ?? [getTag(facts, `${method} ${path}`)];
  const parameters = buildParameters(operation, block.parameters);
  const rights = isPublic ? undefined : describeRights(facts);
  return {
    ...members,
    tags,
    description: [description, rights].filter((text) => text !== undefined).join(' '),
    ...(facts.access?.isPersonOnly ? { security: [{ sessionCookie: [] }] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...buildRequestBody(operation),
    responses: {
      ...(block.responses ? addHeaders(operation, block.responses) : buildSuccess(operation, components)),
      ...buildErrors(operation, otherErrors),
    },
    ...(facts.write ? { [OTHER_RESPONSES]: buildOtherResponses(operation, components) } : {}),
    ...(callbacks ? { callbacks: buildEventCallbacks(tags, components) } : {}),
  };
}

/** @throws {Error} if the route has no tag, neither in its block nor in api/routes/index.ts */
function getTag({ tag }: Partial<DocumentedRoute>, route: string): string {
  if (tag === undefined)
    throw new Error(`${route}: add its routes to api/routes/index.ts, or tags to its block`);
  return tag;
}

/** @throws {Error} for an `x-` member that {@link OperationBlock} does not have */
function assertNoShorthand(members: Json, route: string): void {
  const unknown = Object.keys(members).filter((member) => member.startsWith('x-'));
  if (unknown.length > 0)
    throw new Error(`${route}: ${unknown.join()} is not known (api/openapi/operation.ts)`);
}

/**
 * Returns the component name of the response's record, such as `WorkOrder`. The route's entity type
 * determines the name. For a route without an entity type, the path of its collection determines
 * the name.
 */
function findRecord(path: string, { entityType }: RouteFacts): string | undefined {
  const found =
    entityType ?? Object.values(RESOURCE_TABLES).find(({ collection }) => collection === path)?.entityType;
  return found
    ?.split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

function buildParameters(operation: Operation, own: Json[] = []): Json[] {
  const { path, facts } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const inQuery = facts.query ? toQueryParameters(facts.query as Joi.ObjectSchema) : [];
  return [
    ...inPath.map(referToParameter),
    ...own,
    ...inQuery.map(shareParameter),
    ...(facts.readsReplica ? ['ConsistencyToken'] : []).map(referToParameter),
    ...(facts.write ? ['IdempotencyKey', 'DryRun'] : []).map(referToParameter),
    ...(acceptsIfMatch(operation) ? ['IfMatch'] : []).map(referToParameter),
  ];
}

const referToParameter = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

/** Returns a reference if an equal shared parameter exists, otherwise the parameter itself. */
function shareParameter(parameter: Json): Json {
  const name = String(parameter.name);
  const isShared = JSON.stringify(parameter) === JSON.stringify(sharedQueryParameters[name]);
  return isShared ? referToParameter(name) : parameter;
}

function buildRequestBody({ method, facts }: Operation): Json {
  if (!facts.body || method === 'delete') return {};
  const name = getClassName(facts.body) ?? '';
  const schema = toOpenApi(facts.body) as { required?: string[] };
  return {
    requestBody: {
      // The body of a PATCH is optional, because an empty body changes nothing.
      required: method === 'post' && (schema.required?.length ?? 0) > 0,
      content: {
        'application/json': { schema: referToSchema(name), example: getExample(name) },
      },
    },
  };
}

/** @throws {Error} if the block names an error that is already derived from the route */
function buildErrors(operation: Operation, others: number[]): Json {
  const derived = listErrors(operation);
  const { method, path } = operation;
  const repeated = others.filter((status) => derived.includes(status));
  if (repeated.length > 0)
    throw new Error(`${method} ${path}: leave ${repeated.join()} out of x-errors, because it is derived`);
  const statuses = [...derived, ...others];
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}
