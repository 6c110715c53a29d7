import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, Json>;
  /** Responses to a dry run and to a late commit. */
  'x-other-responses'?: Record<string, Json>;
}

const document = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../docs/openapi.json', import.meta.url)), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: Json };

const ajv = new Ajv({ strict: false, allErrors: true });
(formats as unknown as (ajv: Ajv) => void)(ajv);
ajv.addSchema({ $id: 'openapi', ...(toJsonSchema(document) as Json) });

const ERROR_SCHEMA = { $ref: '#/components/schemas/Error' };
/** Validators of bodies, by the schema object of the document or of the caller. */
const validators = new WeakMap<Json, ValidateFunction>();

export interface HttpExchange {
  method: string;
  /** Path without version prefix and query. */
  path: string;
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

const pathTemplates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Returns the documented path template that a path matches. */
export function findPathTemplate(path: string): string | undefined {
  return pathTemplates.find(({ pattern }) => pattern.test(path))?.template;
}

/** Lists the members of a schema in openapi.json, in the sequence in which responses have them. */
export function listPublishedMembers(schema: string): string[] {
  const schemas = document.components.schemas as Record<string, { properties?: Json } | undefined>;
  const { properties } = schemas[schema] ?? {};
  if (!properties) throw new Error(`openapi.json has no object schema ${schema}`);
  return Object.keys(properties);
}

/**
 * Lists every deviation of an exchange from the document: an undocumented route, status, header or
 * content type, or a body that does not match. For routes outside the document (404 of an unknown
 * path, 405) only the error envelope is checked.
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
  // Only the type of a PDF or a stream is checked.
  if (type !== 'application/json') return problems;
  return [...problems, ...findBodyProblemsIn(`${method} ${template} ${status}`, contents[type].schema, body)];
}

/** A dry run's response is no version of a record, so it has no ETag. */
const isPreview = (body: unknown) => (body as { dry_run?: unknown } | null)?.dry_run === true;

/**
 * Responses that a plain call does not get: a preview, an operation that will run by itself, a
 * write that is held for a person, or the receipt for a key that may not read the record.
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
  return ['X-Idempotency-Replay', 'Retry-After', 'X-Service-Warnings'].includes(name);
}

function findEnvelopeProblems(body: unknown): string[] {
  return findBodyProblemsIn('error', ERROR_SCHEMA, body);
}

function resolve(node: Json): Json {
  if (typeof node.$ref !== 'string') return node;
  const parts = node.$ref.replace('#/', '').split('/');
  return parts.reduce<Json>((at, part) => at[part] as Json, document as unknown as Json);
}

/** Lists deviations from a schema, which may refer to the document's schemas. */
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

/** In OpenAPI 3.0.3 `nullable` counts only beside a type, and `exclusiveMinimum` is a flag. */
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
