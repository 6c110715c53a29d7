import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';

export type EventType = Schemas['EventType'];

/** Reads all event types with their descriptions and examples. They change only with a release. */
export function useEventTypes() {
  return api.useQuery('get', '/event-types', {}, { staleTime: 'static' });
}

/** Returns the part before the last dot: "ai.suggestion" of "ai.suggestion.created". */
export function readKind(type: string): string {
  return type.slice(0, type.lastIndexOf('.'));
}

/** Groups types by kind. The kinds have the sequence of their first types. */
export function groupByKind(types: readonly EventType[]): ReadonlyMap<string, readonly EventType[]> {
  const groups = new Map<string, EventType[]>();
  for (const type of types) {
    const kind = readKind(type.type);
    groups.set(kind, [...(groups.get(kind) ?? []), type]);
  }
  return groups;
}

/**
 * Returns all filters for event types. These are the types, and `invoice.*` for each kind with
 * several types.
 */
export function listTypeFilters(types: readonly EventType[]): string[] {
  return [...groupByKind(types)].flatMap(([kind, members]) => [
    ...(members.length > 1 ? [`${kind}.*`] : []),
    ...members.map(({ type }) => type),
  ]);
}
