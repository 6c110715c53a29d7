import { jsonTime } from '../../../shared/contracts/resource.js';
import type { CellKind } from '../../../shared/records/fields/field.js';
import type { RecordFields } from '../../../shared/records/fields/record-fields.js';

export interface CsvColumn {
  /**
   * Name of the field in REST. A member of an object gets the object's name as prefix:
   * `delivery_state`.
   */
  name: string;
  sql: string;
  /**
   * Set if the column contains cents. The export then sums the column. On request, the export also
   * adds a column with decimals.
   */
  isCents?: true;
}

/**
 * The code points of = + - @, tab, line feed, carriage return, and the full-width ＝ ＋ － ＠. A
 * spreadsheet treats a cell that starts with one of them as a formula (OWASP ASVS 1.2.10).
 */
const FORMULA_STARTS = [0x3d, 0x2b, 0x2d, 0x40, 9, 10, 13, 0xff1d, 0xff0b, 0xff0d, 0xff20];

/**
 * Builds a column of user-supplied text. Prefixes a text with an apostrophe if a spreadsheet would
 * treat it as a formula. Only text gets the prefix, because an apostrophe before a number would
 * break every sum.
 */
export function textColumn(alias: string, name: string, sql = `${alias}.${name}`): CsvColumn {
  const isFormula = `ascii(${sql}) = any('{${FORMULA_STARTS.join()}}'::int[])`;
  return { name, sql: `case when ${isFormula} then '''' || ${sql} else ${sql} end` };
}

/** Builds a column without user-supplied text: a number, an id or a value of an enum. */
export function plainColumn(alias: string, name: string, sql = `${alias}.${name}`): CsvColumn {
  return { name, sql };
}

export function fieldColumns({ cells }: RecordFields, alias: string): CsvColumn[] {
  return cells.map(({ name, kind, sql }) => COLUMN_OF_KIND[kind](alias, name, sql(alias)));
}

const COLUMN_OF_KIND: Record<CellKind, (alias: string, name: string, sql: string) => CsvColumn> = {
  text: textColumn,
  plain: plainColumn,
  cents: centsColumn,
  // Casts to text, which is `true` or `false`. COPY would print the boolean itself as `t` or `f`.
  boolean: (_, name, sql) => ({ name, sql: `${sql}::text` }),
  time: (alias, name, sql) => ({ name, sql: jsonTime(alias, name, sql).sql }),
};

/**
 * Builds a column of cents.
 * @param name ends in `_cents`
 */
export function centsColumn(alias: string, name: string, sql = `${alias}.${name}`): CsvColumn {
  return { name, sql, isCents: true };
}

/**
 * Builds a column with decimals from a column of cents, for example `total` from `total_cents`. The
 * conversion is exact: -5 becomes `-0.05`.
 */
export function decimalColumn({ name, sql }: CsvColumn): CsvColumn {
  return { name: name.replace(/_cents$/, ''), sql: `(${sql}) * 0.01` };
}
