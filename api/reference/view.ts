import { OTHER_RESPONSES } from '../openapi/responses.js';

type Json = Record<string, unknown>;
type Responses = Record<string, Json>;

/** Headers of nearly every response. The introduction explains them once. */
const COMMON_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-Service-Warnings',
];

/** Reads accept this header and ignore it, so forms leave it out. */
const IGNORED_PARAMETER = '#/components/parameters/IgnoredIdempotencyKey';

/**
 * Transforms the document for people who use the reference page at /docs. Merges all responses of
 * an operation, drops the headers that nearly every response has, and leaves filters empty in
 * forms.
 */
export function toReferenceView(document: Json): Json {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Json>>;
    components: Record<string, Json>;
  };
  const responses = mapValues(components.responses as Responses, dropCommonHeaders);
  const shown = mapValues(paths, (item) => mapValues(item, toOperationView));
  return { ...document, components: { ...components, responses }, paths: shown };
}

function toOperationView({ [OTHER_RESPONSES]: other, ...operation }: Json): Json {
  const responses = mergeResponses(operation.responses as Responses, (other ?? {}) as Responses);
  const parameters = ((operation.parameters ?? []) as Json[]).filter(
    ({ $ref }) => $ref !== IGNORED_PARAMETER,
  );
  return {
    ...operation,
    parameters: parameters.map(toParameterView),
    responses: mapValues(responses, dropCommonHeaders),
  };
}

function mergeResponses(plain: Responses, other: Responses): Responses {
  const merged = mapValues(other, (response, status) => {
    const plainResponse = plain[status];
    // A reference is kept as it is: the introduction explains the 202.
    return plainResponse && !response.$ref
      ? mergeResponse(plainResponse, response)
      : (plainResponse ?? response);
  });
  return { ...plain, ...merged };
}

/** Merges two responses of one status. The example is that of the plain call. */
function mergeResponse(plain: Json, other: Json): Json {
  const json = getJsonContent(plain);
  const anyOf = [json.schema, getJsonContent(other).schema];
  return {
    ...plain,
    description: `${plain.description}. ${other.description}`,
    content: { 'application/json': { ...json, schema: { anyOf } } },
  };
}

function getJsonContent(response: Json): Json {
  return (response.content as Record<string, Json>)['application/json'] ?? {};
}

/**
 * Moves the example of a filter into its description: a prefilled example would narrow the list to
 * nothing.
 */
function toParameterView({ example, ...parameter }: Json): Json {
  if (parameter.in !== 'query' || example === undefined)
    return { ...parameter, ...(example === undefined ? {} : { example }) };
  const sentences = [parameter.description, `Example: \`${example}\``].filter((part) => part !== undefined);
  return { ...parameter, description: sentences.join('. ') };
}

function dropCommonHeaders(response: Json): Json {
  const { headers, ...rest } = response;
  const ownHeaders = Object.entries((headers ?? {}) as Json).filter(
    ([name]) => !COMMON_HEADERS.includes(name),
  );
  return ownHeaders.length > 0 ? { ...rest, headers: Object.fromEntries(ownHeaders) } : rest;
}

function mapValues<In, Out>(
  record: Record<string, In>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
