import { openApiDocument } from '../openapi-validator.js';

export type OpenApiNode = Record<string, unknown>;

export interface DocumentedOperation {
  /** Method and path, such as `GET /invoices/{id}`. */
  name: string;
  method: string;
  path: string;
  operation: OpenApiNode;
  parameters: OpenApiNode[];
  /** The schema and the example of the JSON body; undefined if there is no body. */
  body: { schema: OpenApiNode; example: unknown; required: boolean } | undefined;
  responses: { status: string; response: OpenApiNode }[];
  /** The documented `x-other-responses`: the responses to a dry run, and the 202 of a write. */
  otherResponses: { status: string; response: OpenApiNode }[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function resolveRef(node: OpenApiNode): OpenApiNode {
  if (typeof node.$ref !== 'string') return node;
  const parts = node.$ref.replace('#/', '').split('/');
  const found = parts.reduce<unknown>((at, part) => (at as OpenApiNode | undefined)?.[part], openApiDocument);
  if (found === undefined) throw new Error(`${node.$ref} points at nothing`);
  return resolveRef(found as OpenApiNode);
}

function resolveAll(responses: unknown): { status: string; response: OpenApiNode }[] {
  const entries = Object.entries((responses ?? {}) as Record<string, OpenApiNode>);
  return entries.map(([status, response]) => ({ status, response: resolveRef(response) }));
}

interface MediaType {
  schema: OpenApiNode;
  /**
   * The example; undefined if several bodies share it. `examples` then refers to the shared
   * example.
   */
  example?: unknown;
  examples?: Record<string, OpenApiNode>;
}

function jsonContent(holder: OpenApiNode | undefined): { schema: OpenApiNode; example: unknown } | undefined {
  const json = (holder?.content as Record<string, MediaType> | undefined)?.['application/json'];
  const [shared] = Object.values(json?.examples ?? {});
  return json && { schema: json.schema, example: shared ? resolveRef(shared).value : json.example };
}

/**
 * Lists every operation in openapi.json. References to its parameters and responses are resolved,
 * but not the references inside those parameters and responses.
 */
export function listDocumentedOperations(): DocumentedOperation[] {
  const paths = openApiDocument.paths as unknown as Record<string, Record<string, OpenApiNode>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const body = jsonContent(operation.requestBody as OpenApiNode | undefined);
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          operation,
          parameters: ((operation.parameters ?? []) as OpenApiNode[]).map(resolveRef),
          body: body && { ...body, required: (operation.requestBody as OpenApiNode).required === true },
          responses: resolveAll(operation.responses),
          otherResponses: resolveAll(operation['x-other-responses']),
        };
      }),
  );
}

/**
 * Returns which credential an operation requires: none, only a session, or either a key or a
 * session.
 */
export function findRequiredCredential({ operation }: DocumentedOperation): 'nothing' | 'session' | 'key' {
  const { security } = operation as { security?: object[] };
  if (security === undefined) return 'key';
  return security.length === 0 ? 'nothing' : 'session';
}

export interface DocumentedExample {
  where: string;
  schema: OpenApiNode;
  value: unknown;
}

/**
 * Lists every example in openapi.json with its schema. If a header or a JSON body has no example,
 * its value is undefined.
 */
export function listDocumentedExamples(): DocumentedExample[] {
  const { components } = openApiDocument as unknown as {
    components: Record<string, Record<string, OpenApiNode>>;
  };
  const parameters = (where: string, list: OpenApiNode[]) =>
    list
      .filter((parameter) => parameter.example !== undefined)
      .map((one) => ({
        where: `${where} ${one.name}`,
        schema: one.schema as OpenApiNode,
        value: one.example,
      }));
  const headers = Object.entries(components.headers ?? {}).map(([name, header]) => ({
    where: `header ${name}`,
    schema: header.schema as OpenApiNode,
    value: header.example,
  }));
  const operations = listDocumentedOperations().flatMap(
    ({ name, body, parameters: own, responses, otherResponses }) => [
      ...(body ? [{ where: `${name} body`, schema: body.schema, value: body.example }] : []),
      ...parameters(name, own),
      ...[...responses, ...otherResponses].flatMap(({ status, response }) => {
        const content = jsonContent(response);
        return content
          ? [{ where: `${name} ${status}`, schema: content.schema, value: content.example }]
          : [];
      }),
    ],
  );
  const members = listDocumentedSchemas()
    .filter(({ schema }) => schema.example !== undefined)
    .map(({ where, schema }) => ({ where, schema, value: schema.example }));
  return [...headers, ...operations, ...members];
}

const NESTED = ['items', 'not', 'additionalProperties'];
const NESTED_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** Lists every schema object in openapi.json, also nested ones. `where` describes its place. */
export function listDocumentedSchemas(): { where: string; schema: OpenApiNode }[] {
  const found: { where: string; schema: OpenApiNode }[] = [];
  const visit = (schema: unknown, where: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const one = schema as OpenApiNode;
    found.push({ where, schema: one });
    for (const word of NESTED) visit(one[word], `${where}.${word}`);
    for (const word of NESTED_LISTS) {
      for (const [index, part] of ((one[word] ?? []) as unknown[]).entries())
        visit(part, `${where}.${word}[${index}]`);
    }
    for (const [name, member] of Object.entries((one.properties ?? {}) as OpenApiNode))
      visit(member, `${where}.${name}`);
  };
  const visitAll = (node: unknown, where: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      // Skip examples. They are values, so a member `schema` in an example is not a schema.
      if (key === 'example' || key === 'examples') continue;
      if (key === 'schema') visit(value, where);
      else visitAll(value, `${where} ${key}`);
    }
  };
  const { paths, components } = openApiDocument as unknown as {
    paths: OpenApiNode;
    components: Record<string, OpenApiNode>;
  };
  const { schemas = {}, ...others } = components;
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name);
  visitAll(others, 'components');
  visitAll(paths, 'paths');
  return found;
}

/** Lists the names of the query parameters that are ids. */
export const listQueryIds = ({ parameters }: DocumentedOperation) =>
  parameters
    .filter((one) => one.in === 'query' && (one.schema as OpenApiNode).format === 'uuid')
    .map((one) => String(one.name));

export const hasCursor = ({ parameters }: DocumentedOperation) =>
  parameters.some((one) => one.name === 'cursor');

export const isWrite = ({ method }: DocumentedOperation) => method !== 'GET';
