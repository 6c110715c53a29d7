import { OTHER_ANSWERS } from './openapi-answers.js';

type Json = Record<string, unknown>;
type Responses = Record<string, Json>;

/** Headers that the introduction explains once, because nearly every answer has them. */
const EVERYWHERE = [
  'X-Request-Id',
  'X-RateLimit-Remaining',
  'RateLimit',
  'RateLimit-Policy',
  'X-Service-Warnings',
];

/** A read takes this header and ignores it: in a form it is only in the way. */
const IGNORED = '#/components/parameters/IgnoredIdempotencyKey';

/**
 * The document as the reference page at /docs shows it, for people who read and try: all answers of
 * an operation together, without the headers that nearly every answer has, and with forms that are
 * empty where a value would only narrow a list.
 */
export function toReferenceView(document: Json): Json {
  const { paths, components } = document as {
    paths: Record<string, Record<string, Json>>;
    components: Record<string, Json>;
  };
  const responses = mapValues(components.responses as Responses, withoutCommonHeaders);
  const shown = mapValues(paths, (item) => mapValues(item, operationView));
  return { ...document, components: { ...components, responses }, paths: shown };
}

function operationView({ [OTHER_ANSWERS]: other, ...operation }: Json): Json {
  const responses = mergeResponses(operation.responses as Responses, (other ?? {}) as Responses);
  const parameters = ((operation.parameters ?? []) as Json[]).filter(({ $ref }) => $ref !== IGNORED);
  return {
    ...operation,
    parameters: parameters.map(parameterView),
    responses: mapValues(responses, withoutCommonHeaders),
  };
}

function mergeResponses(plain: Responses, other: Responses): Responses {
  const merged = mapValues(other, (answer, status) => {
    const own = plain[status];
    // A reference stands for itself: the introduction says what a 202 is.
    return own && !answer.$ref ? eitherOf(own, answer) : (own ?? answer);
  });
  return { ...plain, ...merged };
}

/** Both answers of one status, with the example of the plain one. */
function eitherOf(plain: Json, other: Json): Json {
  const json = contentOf(plain);
  const anyOf = [json.schema, contentOf(other).schema];
  return {
    ...plain,
    description: `${plain.description}. ${other.description}`,
    content: { 'application/json': { ...json, schema: { anyOf } } },
  };
}

function contentOf(response: Json): Json {
  return (response.content as Record<string, Json>)['application/json'] ?? {};
}

/**
 * The example of a filter stands in its description: prefilled, it would narrow the list to
 * nothing.
 */
function parameterView({ example, ...parameter }: Json): Json {
  if (parameter.in !== 'query' || example === undefined)
    return { ...parameter, ...(example === undefined ? {} : { example }) };
  const said = [parameter.description, `Example: \`${example}\``].filter((part) => part !== undefined);
  return { ...parameter, description: said.join('. ') };
}

function withoutCommonHeaders(response: Json): Json {
  const { headers, ...rest } = response;
  const own = Object.entries((headers ?? {}) as Json).filter(([name]) => !EVERYWHERE.includes(name));
  return own.length > 0 ? { ...rest, headers: Object.fromEntries(own) } : rest;
}

function mapValues<In, Out>(
  record: Record<string, In>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
