import { isVersioned, type Operation } from './responses.js';

/** Lists errors that follow from the route. A block names only other errors (`x-errors`). */
export function listErrors(operation: Operation): number[] {
  const { path, facts, isPublic } = operation;
  return [
    // This error needs no key: unread responses count for the client's network.
    429,
    // For a bad X-Environment, no valid credential, a bad Accept, and failures of the service.
    ...(isPublic ? [] : [400, 401, 406, 500, 503]),
    ...(facts.access ? [403] : []),
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
