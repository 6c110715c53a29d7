import { RESOURCE_TABLES } from '../../../shared/registry/tables.js';
import { type OpenApiNode, resolveRef } from './openapi-walk.js';

/**
 * Lists the paths at which bodies of this schema contain ids. For an array, it lists only paths in
 * the first item.
 */
export function findIdPaths(node: OpenApiNode, path: string[] = []): string[][] {
  const schema = resolveRef(node);
  if (schema.format === 'uuid') return [path];
  const inItems = schema.items ? findIdPaths(schema.items as OpenApiNode, [...path, '0']) : [];
  const members = Object.entries((schema.properties ?? {}) as Record<string, OpenApiNode>);
  return [...inItems, ...members.flatMap(([name, member]) => findIdPaths(member, [...path, name]))];
}

/** Returns a copy of a value in which this id stands at this path. */
export function setIdAt(value: unknown, [head, ...rest]: string[], id: string): unknown {
  if (head === undefined) return id;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as OpenApiNode) }) as OpenApiNode;
  copy[head] = setIdAt(copy[head], rest, id);
  return copy;
}

/**
 * Returns the kind of record that the id at a path refers to: `truck` for `truck_id`, `defect` for
 * `defects[0].id`.
 */
export function findRecordKind(place: string[]): string {
  const name = String(place.at(-1));
  return name === 'id' ? String(place.at(-3)).replace(/s$/, '') : name.replace(/_id$/, '');
}

/** Returns the kind of record that the id in a request path refers to. */
export function findPathRecordKind(path: string): string {
  const found = Object.entries(RESOURCE_TABLES).find(([, { collection }]) =>
    path.startsWith(`${collection}/`),
  );
  if (found) return found[0];
  if (path.startsWith('/operations/')) return 'operation';
  if (path.startsWith('/webhook-endpoints/')) return 'endpoint';
  if (path.startsWith('/attempts/')) return 'attempt';
  if (path.startsWith('/steps/')) return 'step';
  if (path.startsWith('/items/')) return 'payout_item';
  if (path.startsWith('/positions/')) return 'truck_position';
  throw new Error(
    `the id in ${path} has no record kind: add the kind here and a record in fillAccount of the isolation crawl`,
  );
}

/** Returns the kind of the records that the list at this request path contains. */
export function findListedKind(path: string): string {
  if (path.startsWith('/connections/{id}/')) return 'connection_work';
  return findPathRecordKind(`/${path.split('/').at(-1)}/`);
}

/**
 * @param methodId stands in paths that name a payment method beside its customer. A vehicle beside
 *   its connection has the connection's id.
 */
export const withId = (path: string, id: string, methodId = id) =>
  path.replace('{id}', id).replace('{method_id}', methodId).replace('{external_id}', id);

/**
 * Returns a text that proves that a list contains own records: the canary, or the id of a record
 * without texts.
 */
export function findProof(
  { path }: { path: string },
  own: { canary: string; ids: Record<string, string> },
): string {
  return path.endsWith('/positions') ? (own.ids.truck_position as string) : own.canary;
}
