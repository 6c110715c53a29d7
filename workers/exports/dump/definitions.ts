import type { DumpConstraint, DumpTable } from './catalog.js';

/** Quotes a name as an identifier, so that any name is safe in SQL. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * True for validated checks, which `create table` includes. All other constraints are added after
 * the rows.
 */
const isInlineCheck = ({ type, isValidated }: DumpConstraint) => type === 'c' && isValidated;

/** Builds the SQL that creates a table. A partitioned table becomes a plain table. */
export function buildCreateTable({ name, columns, constraints }: DumpTable): string {
  const parts = [
    ...columns.map(({ definition }) => definition),
    ...constraints
      .filter(isInlineCheck)
      .map((one) => `constraint ${quoteIdentifier(one.name)} ${one.definition}`),
  ];
  return `create table public.${quoteIdentifier(name)} (\n  ${parts.join(',\n  ')}\n);\n`;
}

/**
 * Builds the SQL that adds constraints and indexes. Foreign keys come last, because they need the
 * primary keys and unique constraints.
 */
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

/** Removes the word ONLY, which PostgreSQL prints for an index of a partitioned table. */
function withoutOnly(definition: string): string {
  return definition.replace(/^(CREATE (?:UNIQUE )?INDEX (?:"(?:[^"]|"")+"|\S+) ON) ONLY /, '$1 ');
}
