import type { DumpConstraint, DumpTable } from './catalog.js';

/** A name as SQL always takes it, whatever it is. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Checks that hold for every row are checked while the rows come in; all else is added when they are there. */
const isAtOnce = ({ type, isValidated }: DumpConstraint) => type === 'c' && isValidated;

/** `create table` with the columns and checks; a partitioned table becomes a plain one. */
export function createTable({ name, columns, constraints }: DumpTable): string {
  const parts = [
    ...columns.map(({ definition }) => definition),
    ...constraints.filter(isAtOnce).map((one) => `constraint ${quoted(one.name)} ${one.definition}`),
  ];
  return `create table public.${quoted(name)} (\n  ${parts.join(',\n  ')}\n);\n`;
}

/** Primary keys, unique ones and indexes of all tables, then the foreign keys, which need those. */
export function addKeys(tables: readonly DumpTable[]): string {
  const constraints = tables.flatMap((table) => table.constraints.filter((one) => !isAtOnce(one)));
  const added = (wanted: (one: DumpConstraint) => boolean) =>
    constraints
      .filter(wanted)
      .map(
        ({ table, name, definition }) =>
          `alter table public.${quoted(table)} add constraint ${quoted(name)} ${definition};\n`,
      );
  const indexes = tables.flatMap((table) =>
    table.indexes.map(({ definition }) => `${ofPlainTable(definition)};\n`),
  );
  return [...added(({ type }) => type !== 'f'), ...indexes, ...added(({ type }) => type === 'f')].join('');
}

/** An index of a partitioned table is printed as one of that table ONLY, without its parts. */
function ofPlainTable(definition: string): string {
  return definition.replace(/^(CREATE (?:UNIQUE )?INDEX (?:"(?:[^"]|"")+"|\S+) ON) ONLY /, '$1 ');
}
