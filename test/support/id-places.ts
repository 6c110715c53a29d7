import { type Json, resolveRef } from './openapi-walk.js';

/** The paths of the ids in a body, by the schema of its members. */
export function idPlaces(node: Json, path: string[] = []): string[][] {
  const schema = resolveRef(node);
  if (schema.format === 'uuid') return [path];
  const inItems = schema.items ? idPlaces(schema.items as Json, [...path, '0']) : [];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return [...inItems, ...members.flatMap(([name, member]) => idPlaces(member, [...path, name]))];
}

/** A copy of a value with this id at this path. */
export function setAt(value: unknown, [head, ...rest]: string[], id: string): unknown {
  if (head === undefined) return id;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  copy[head] = setAt(copy[head], rest, id);
  return copy;
}

/**
 * The kind of record that a member refers to: a truck for `truck_id`, a defect for `defects[0].id`.
 */
export function kindAt(place: string[]): string {
  const name = String(place.at(-1));
  return name === 'id' ? String(place.at(-3)).replace(/s$/, '') : name.replace(/_id$/, '');
}
