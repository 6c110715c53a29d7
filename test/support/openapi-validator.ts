import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { EXTERNAL_IDS } from '../../shared/records/expansions/external-ids.js';

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, Json>;
  /**
   * Responses other than the usual one, by status: the preview of a dry run, and the 202 of a
   * delayed or held write. {@link isOtherResponse} recognizes them.
   */
  'x-other-responses'?: Record<string, Json>;
}

const document = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../docs/openapi.json', import.meta.url)), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: Json };

const ajv = new Ajv({ strict: false, allErrors: true });
(formats as unknown as (ajv: Ajv) => void)(ajv);
ajv.addSchema({ $id: 'openapi', ...(toJsonSchema(document) as Json) });

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' };
/**
 * The compiled validators, by schema object. A schema object is part of openapi.json or comes from
 * the caller.
 */
const validators = new WeakMap<Json, ValidateFunction>();

export interface HttpExchange {
  method: string;
  /** The path without the version prefix (`/v1`) and without the query string. */
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

const pathTemplates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Returns the documented path template for a path. Prefers a template without parameters. */
export function findPathTemplate(path: string): string | undefined {
  if (path in document.paths) return path;
  return pathTemplates.find(({ pattern }) => pattern.test(path))?.template;
}

/** Returns whether openapi.json has an operation for this method on this path. */
export function isDocumented(method: string, path: string): boolean {
  const template = findPathTemplate(path);
  return template !== undefined && document.paths[template]?.[method.toLowerCase()] !== undefined;
}

/**
 * Lists the names of a schema's members in openapi.json, without those that a response has only on
 * request. Responses have their members in this order.
 */
export function listPublishedMembers(schema: string): string[] {
  const schemas = document.components.schemas as Record<string, { properties?: Json } | undefined>;
  const { properties } = schemas[schema] ?? {};
  if (!properties) throw new Error(`openapi.json has no object schema ${schema}`);
  return Object.keys(properties).filter((name) => name !== EXTERNAL_IDS);
}

/**
 * Lists the ways in which an exchange deviates from openapi.json: an undocumented route, status or
 * content type, a missing header, or an invalid body. On an undocumented route, a 401, 404, 405 or
 * 429 is allowed, and only its error envelope is checked.
 */
export function findDeviations(exchange: HttpExchange): string[] {
  const { method, path, status, headers, body } = exchange;
  const template = findPathTemplate(path);
  const operation = template ? document.paths[template]?.[method.toLowerCase()] : undefined;
  if (!operation) {
    return status === 404 || status === 405 || status === 401 || status === 429
      ? findEnvelopeProblems(body)
      : [`${method} ${path} is not documented`];
  }
  const other = isOtherResponse(body) ? operation['x-other-responses']?.[status] : undefined;
  const declared = other ?? operation.responses[status];
  if (!declared) return [`${method} ${template} does not document ${status}: ${JSON.stringify(body)}`];
  const response = resolve(declared);
  const problems = Object.keys((response.headers ?? {}) as Json)
    .filter((name) => !(name === 'ETag' && isPreview(body)))
    .filter((name) => !isOptionalHeader(name) && headers[name.toLowerCase()] === undefined)
    .map((name) => `${method} ${template} ${status} lacks the header ${name}`);
  const contents = response.content as Record<string, { schema: Json }> | undefined;
  if (!contents) return problems;
  const type = String(headers['content-type'] ?? '').split(';')[0] ?? '';
  if (!contents[type]) return [...problems, `${method} ${template} ${status} has the content type ${type}`];
  // If the response is not JSON (a PDF or a stream), only its content type is checked.
  if (type !== 'application/json') return problems;
  return [...problems, ...findBodyProblemsIn(`${method} ${template} ${status}`, contents[type].schema, body)];
}

/**
 * Returns whether a body is the response to a dry run. Such a response shows no stored version of a
 * record, so it has no ETag.
 */
const isPreview = (body: unknown) => (body as { dry_run?: unknown } | null)?.dry_run === true;

/**
 * True for a body that a plain call never gets: a preview, an operation to run later, a held write,
 * or only an id (for a key that may not read the record).
 */
function isOtherResponse(body: unknown): boolean {
  const { data, pending_approval } = (body ?? {}) as {
    data?: { operation_id?: unknown };
    pending_approval?: unknown;
  };
  const isReceipt = Object.keys(data ?? {}).join() === 'id';
  return isPreview(body) || pending_approval === true || data?.operation_id !== undefined || isReceipt;
}

function isOptionalHeader(name: string): boolean {
  return [
    'X-Idempotency-Replay',
    'X-Service-Consistency-Token',
    'Retry-After',
    'X-Service-Warnings',
  ].includes(name);
}

function findEnvelopeProblems(body: unknown): string[] {
  return findBodyProblemsIn('error', ERROR_SCHEMA, body);
}

function resolve(node: Json): Json {
  if (typeof node.$ref !== 'string') return node;
  const parts = node.$ref.replace('#/', '').split('/');
  return parts.reduce<Json>((at, part) => at[part] as Json, document as unknown as Json);
}

/** Lists how a value deviates from a schema. The schema may refer to schemas in openapi.json. */
export function findSchemaProblems(schema: Record<string, unknown>, value: unknown): string[] {
  return findBodyProblemsIn('value', schema, value);
}

function findBodyProblemsIn(name: string, schema: Json, body: unknown): string[] {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(toJsonSchema(schema) as Json);
    validators.set(schema, validate);
  }
  if (validate(body)) return [];
  return (validate.errors ?? []).map((error) => `${name}: ${error.instancePath || 'body'} ${error.message}`);
}

/**
 * Converts a schema of OpenAPI 3.0.3 to JSON Schema. `nullable: true` adds the type `null`, and the
 * flag `exclusiveMinimum: true` turns `minimum` into an exclusive one.
 * @throws if `nullable` stands without a type, because OpenAPI 3.0.3 then ignores it
 */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, exclusiveMinimum, ...rest } = node as Json;
  const out: Json = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace(/^#/, 'openapi#') : toJsonSchema(value),
    ]),
  );
  if (nullable === true) {
    if (typeof out.type !== 'string') throw new Error(`nullable without a type: ${JSON.stringify(node)}`);
    out.type = [out.type, 'null'];
  }
  if (exclusiveMinimum === true) {
    out.exclusiveMinimum = out.minimum;
    delete out.minimum;
  }
  return out;
}

export { document as openApiDocument };
