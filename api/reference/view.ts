type Json = Record<string, unknown>;
type Responses = Record<string, Json>;

/**
 * This extension member of an operation contains the responses that a plain call does not get: a
 * Responses Object (docs/adr/0016-openapi-for-generated-clients.md).
 */
export const OTHER_RESPONSES = 'x-other-responses';

/** Nearly every response has these headers. The introduction explains them. */
const COMMON_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-Service-Warnings',
];

/** Reads accept this header and ignore it, so the forms leave it out. */
const IGNORED_PARAMETER = '#/components/parameters/IgnoredIdempotencyKey';

/**
 * Transforms the document for people who use the reference page at /docs. Merges
 * all responses of an operation, drops the headers that nearly every response has,
 * and leaves filters empty in forms.
 */
export function toReferenceView(document: Json): Json {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Json>>;
    components: Record<string, Json>;
  };
  const responses = mapValues(components.responses as Responses, dropCommonHeaders);
  const shown = mapValues(paths, (item) =>
    mapValues(item, (operation) => toOperationView(operation, responses)),
  );
  return { ...document, components: { ...components, responses }, paths: shown };
}

function toOperationView({ [OTHER_RESPONSES]: other, ...operation }: Json, shared: Responses): Json {
  const plain = operation.responses as Responses;
  const parameters = ((operation.parameters ?? []) as Json[]).filter(
    ({ $ref }) => $ref !== IGNORED_PARAMETER,
  );
  return {
    ...operation,
    parameters: parameters.map(toParameterView),
    responses: mapValues(mergeResponses(plain, (other ?? {}) as Responses, shared), dropCommonHeaders),
  };
}

function mergeResponses(plain: Responses, other: Responses, shared: Responses): Responses {
  const resolve = (response: Json) => shared[String(response.$ref).split('/').at(-1) as string] ?? response;
  const merged = mapValues(other, (response, status) => {
    const plainResponse = plain[status];
    if (!plainResponse) return response;
    // The introduction explains the 202 of a late commit.
    return status === '202' ? plainResponse : mergeResponse(resolve(plainResponse), resolve(response));
  });
  return { ...plain, ...merged };
}

/** The merged response keeps the example of the plain call. */
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

/** Moves a filter's example to its description. A prefilled filter would find nothing. */
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
