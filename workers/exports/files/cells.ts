import { jsonTime } from '../../../shared/contracts/resource.js';

/** A column of a CSV file. */
export interface Column {
  /** Its name in REST; a member of an object has the object's name before it, `delivery_state`. */
  name: string;
  /** What COPY prints. */
  sql: string;
  /** Cents: they are summed, and have a decimal column beside them when one is asked for. */
  isCents?: true;
}

/** Code points of = + - @, tab, line feed, carriage return, and of the full-width ＝ ＋ － ＠: with one of them first, a spreadsheet runs a cell (ASVS 1.2.10). */
const FORMULA_STARTS = [0x3d, 0x2b, 0x2d, 0x40, 9, 10, 13, 0xff1d, 0xff0b, 0xff0d, 0xff20];

/**
 * A text that somebody wrote: a ' before what a spreadsheet would take for a formula. Everything else here is printed as it is; an apostrophe before a
 * number would break every sum.
 */
export function text(alias: string, name: string, sql = `${alias}.${name}`): Column {
  const isFormula = `ascii(${sql}) = any('{${FORMULA_STARTS.join()}}'::int[])`;
  return { name, sql: `case when ${isFormula} then '''' || ${sql} else ${sql} end` };
}

/**
 * A member of a record as REST shows it, `location_lat` for the `lat` of its `location`: a text as
 * {@link text} has it, a list as JSON, anything else as JSON prints it.
 * @param path such as `['location', 'lat']`
 */
export function member(alias: string, path: readonly string[]): Column {
  const parents = [`${alias}.record`, ...path.slice(0, -1).map((name) => `'${name}'`)].join(' -> ');
  const value = `(${parents} ->> '${path.at(-1)}')`;
  const isText = `json_typeof(${parents} -> '${path.at(-1)}') = 'string'`;
  const name = path.join('_');
  return { name, sql: `case when ${isText} then ${text(alias, name, value).sql} else ${value} end` };
}

/** A number, an id or a word of ours. */
export function plain(alias: string, name: string, sql = `${alias}.${name}`): Column {
  return { name, sql };
}

/** `true` or `false`, as JSON has them; COPY alone prints t or f. */
export function flag(alias: string, name: string): Column {
  return { name, sql: `${alias}.${name}::text` };
}

/** As REST prints it, by the same SQL. */
export function time(alias: string, name: string, label = name): Column {
  return { name: label, sql: jsonTime(alias, name).sql };
}

/** @param name ends in `_cents` */
export function cents(alias: string, name: string, sql = `${alias}.${name}`): Column {
  return { name, sql, isCents: true };
}

/** The same amount with a decimal point, exactly: -5 → `-0.05`. `total_cents` is `total` then. */
export function decimalOf({ name, sql }: Column): Column {
  return { name: name.replace(/_cents$/, ''), sql: `(${sql}) * 0.01` };
}
