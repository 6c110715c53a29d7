import { type OpenApiNode, resolveRef } from './openapi-walk.js';

/** The paths of the ids in a body, by the schema of its members. */
export function findIdPaths(node: OpenApiNode, path: string[] = []): string[][] {
  const schema = resolveRef(node);
  if (schema.format === 'uuid') return [path];
  const inItems = schema.items ? findIdPaths(schema.items as OpenApiNode, [...path, '0']) : [];
  const members = Object.entries((schema.properties ?? {}) as Record<string, OpenApiNode>);
  return [...inItems, ...members.flatMap(([name, member]) => findIdPaths(member, [...path, name]))];
}

/** A copy of a value with this id at this path. */
export function setIdAt(value: unknown, [head, ...rest]: string[], id: string): unknown {
  if (head === undefined) return id;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as OpenApiNode) }) as OpenApiNode;
  copy[head] = setIdAt(copy[head], rest, id);
  return copy;
}

/**
 * The kind of record that a member refers to: a truck for `truck_id`, a defect for `defects[0].id`.
 */
export function findRecordKind(place: string[]): string {
  const name = String(place.at(-1));
  return name === 'id' ? String(place.at(-3)).replace(/s$/, '') : name.replace(/_id$/, '');
}
