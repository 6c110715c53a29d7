/** Matches the filters for event types: `invoice.paid`, `invoice.*` or `*`. */
export const TYPE_FILTER = /^(\*|[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\.([a-z][a-z0-9_]*|\*))$/;

/**
 * True if the filter matches the type: `invoice.*` matches `invoice.paid` (docs/decisions.md §8).
 */
export function matchesType(filter: string, type: string): boolean {
  if (filter === '*') return true;
  return filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter;
}

/**
 * Lists the filters that match a type. For `invoice.paid` they are `invoice.paid`, `invoice.*` and
 * `*`.
 */
export function listMatchingFilters(type: string): string[] {
  const segments = type.split('.');
  const wildcards = segments.slice(1).map((_, index) => `${segments.slice(0, index + 1).join('.')}.*`);
  return [type, ...wildcards, '*'];
}

/**
 * Builds SQL that is true if any of the filters matches the type, by the rule of {@link
 * matchesType}. The arguments are SQL expressions of type text and text[].
 */
export function matchesTypesSql(type: string, filters: string): string {
  return `exists (select from unnest(${filters}) as f(filter) where f.filter in ('*', ${type})
            or (right(f.filter, 2) = '.*' and starts_with(${type}, left(f.filter, -1))))`;
}
