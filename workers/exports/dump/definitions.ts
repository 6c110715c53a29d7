import type { DumpConstraint, DumpTable } from './catalog.js';

/** Makes any name safe to use in SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * `create table` includes only validated checks. All other constraints are added after the rows.
 */
const isInlineCheck = ({ type, isValidated }: DumpConstraint) => type === 'c' && isValidated;

/** A partitioned table becomes a plain table. */
export function buildCreateTable({ name, columns, constraints }: DumpTable): string {
  const parts = [
    ...columns.map(({ definition }) => definition),
    ...constraints
      .filter(isInlineCheck)
      .map((one) => `constraint ${quoteIdentifier(one.name)} ${one.definition}`),
  ];
  return `create table public.${quoteIdentifier(name)} (\n  ${parts.join(',\n  ')}\n);\n`;
}

/** Foreign keys come last, because they need the primary keys and unique constraints. */
export function buildAddKeys(tables: readonly DumpTable[]): string {
  const constraints = tables.flatMap((table) => table.constraints.filter((one) => !isInlineCheck(one)));
  const addConstraints = (isIncluded: (one: DumpConstraint) => boolean) =>
    constraints
      .filter(isIncluded)
      .map(
        ({ table, name, definition }) =>
          `alter table public.${quoteIdentifier(table)} add constraint ${quoteIdentifier(name)} ${definition};\n`,
      );
  const indexes = tables.flatMap((table) =>
    table.indexes.map(({ definition }) => `${withoutOnly(definition)};\n`),
  );
  return [
    ...addConstraints(({ type }) => type !== 'f'),
    ...indexes,
    ...addConstraints(({ type }) => type === 'f'),
  ].join('');
}

/** PostgreSQL prints ONLY for an index of a partitioned table. */
function withoutOnly(definition: string): string {
  return definition.replace(/^(CREATE (?:UNIQUE )?INDEX (?:"(?:[^"]|"")+"|\S+) ON) ONLY /, '$1 ');
}
