import { isVersioned, type Operation } from './responses.js';

/**
 * Lists the error statuses that follow from the route's facts. The route's `@openapi` block lists
 * all others in `x-errors`.
 */
export function listErrors(operation: Operation): number[] {
  const { path, facts, isPublic } = operation;
  return [
    // Public operations can return 429 too: a client network may leave only a limited number of
    // response bytes unread.
    429,
    // 400: invalid X-Environment. 401: no valid credential. 406: Accept excludes JSON. 500 and 503:
    // the service fails.
    ...(isPublic ? [] : [400, 401, 406, 500, 503]),
    // 403 also means that the account requires a second factor, which the person does not have.
    ...(facts.access || !(isPublic || facts.worksWithoutFactor) ? [403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(facts.write || facts.body ? [413, 415] : []),
    ...(facts.write ? [409, 422] : []),
    ...(acceptsIfMatch(operation) ? [412] : []),
  ];
}

/** True if the operation changes a record that has a version. */
export function acceptsIfMatch({ facts, record }: Operation): boolean {
  return facts.write?.status === 200 && record !== undefined && isVersioned(record);
}
