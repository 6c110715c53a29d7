type Json = Record<string, unknown>;
type Responses = Record<string, Json>;

/**
 * The name of an extension member of an operation. The member is a Responses Object with the
 * responses to special calls, such as a dry run (docs/adr/0016-openapi-for-generated-clients.md).
 */
export const OTHER_RESPONSES = 'x-other-responses';

/**
 * The headers that nearly every response has. The page omits them, because the introduction
 * explains them.
 */
const COMMON_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-Service-Warnings',
];

/**
 * The parameter for the Idempotency-Key of a read. The service ignores this key, so the page's
 * forms omit it.
 */
const IGNORED_PARAMETER = '#/components/parameters/IgnoredIdempotencyKey';

/**
 * Transforms the OpenAPI document for the people who read it at /docs. Merges each operation's
 * `responses` and `x-other-responses`. Omits the headers that nearly every response has. Leaves the
 * filters in forms empty.
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
    // The 202 of a late commit is omitted, because the introduction explains it.
    return status === '202' ? plainResponse : mergeResponse(resolve(plainResponse), resolve(response));
  });
  return { ...plain, ...merged };
}

/**
 * Merges two responses with the same status. The merged response accepts either schema, and has the
 * example of `plain`.
 */
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
 * Moves the example of a query parameter to its description. Otherwise Swagger UI would prefill the
 * form with the example, and the filtered list would be empty.
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
