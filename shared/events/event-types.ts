/** `invoice.paid`, `invoice.*` or `*`. */
export const TYPE_FILTER = /^(\*|[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*\.([a-z][a-z0-9_]*|\*))$/;

/** True when a filter lets events of this type through (decisions 8). */
export function matchesType(filter: string, type: string): boolean {
  if (filter === '*') return true;
  return filter.endsWith('.*') ? type.startsWith(filter.slice(0, -1)) : type === filter;
}

/** Every filter that lets events of this type through: `invoice.paid`, `invoice.*`, `*`. */
export function filtersOf(type: string): string[] {
  const segments = type.split('.');
  const kinds = segments.slice(1).map((_, index) => `${segments.slice(0, index + 1).join('.')}.*`);
  return [type, ...kinds, '*'];
}

/** {@link matchesType} of any of several filters within a statement; SQL expressions of type text and text[]. */
export function matchesTypesSql(type: string, filters: string): string {
  return `exists (select from unnest(${filters}) as f(filter) where f.filter in ('*', ${type})
            or (right(f.filter, 2) = '.*' and starts_with(${type}, left(f.filter, -1))))`;
}
