import Joi from 'joi';
import { type JsonMember, jsonTime } from '../../contracts/resource.js';
import { dateTime, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import type { ReferencedTable } from '../references.js';

/** How a CSV file prints a value. `plain` holds no text that people wrote. */
export type CellKind = 'text' | 'plain' | 'time' | 'cents' | 'boolean';

export interface Cell {
  name: string;
  kind: CellKind;
  /** SQL over the row with this alias; by default the column of the same name. */
  sql?: (alias: string) => string;
}

/**
 * One field of a resource, in one row. The row determines what clients send and get, the columns of
 * the table, the CSV file and the SQL dump, and which texts agents get between marks.
 */
export interface Field {
  /** What a request may hold; absent if no client sets the field. */
  input?: Joi.Schema;
  /** What a change may hold, if the rule differs from a creation's. */
  changeInput?: Joi.Schema;
  /** Which requests may set the field; both by default. */
  setBy?: 'create' | 'change';
  isRequired?: true;
  /** What a response holds: by default the input, and nothing if null. */
  output?: Joi.Schema | null;
  /** SQL for the value, over the row with this alias; by default the field's column. */
  sql?: (alias: string) => string;
  /**
   * SQL type of the field's column, or each of its columns with its type. Null for a computed
   * field. If absent, the column has the field's name and another command sets it.
   */
  columns?: string | Readonly<Record<string, string>> | null;
  /**
   * How the CSV file prints the field, or its columns there. Derived from the output by default.
   */
  csv?: CellKind | readonly Cell[] | null;
  /** The field came to the CSV file after the fields below, so its column comes last there. */
  isLastInCsv?: true;
  /** The value must be an id of the account in this table. */
  references?: ReferencedTable;
  /** People outside write this text (or the members with these names), and agents read it. */
  freeText?: true | readonly string[];
}

export const recordId = (): Field => ({ output: uuid() });

/** A time that commands set. Responses show it in UTC. */
export const time = (output: Joi.Schema = dateTime()): Field => ({ output });

export function optionalText(maxLength: number, options: Partial<Field> = {}): Field {
  return {
    input: text(maxLength).allow(null),
    output: Joi.string().allow(null),
    columns: 'text',
    ...options,
  };
}

export function optionalMultilineText(maxLength: number, options: Partial<Field> = {}): Field {
  return optionalText(maxLength, { input: multilineText(maxLength).allow(null), ...options });
}

export function optionalReference(references: ReferencedTable, options: Partial<Field> = {}): Field {
  return { input: uuid().allow(null), output: uuid().allow(null), columns: 'uuid', references, ...options };
}

/** Null if responses do not show the field. */
export function getOutput({ input, output }: Field): Joi.Schema | null {
  return output === undefined ? (input ?? null) : output;
}

/** A string counts as text that people wrote unless it is an id, a day, a time or one of a list. */
export function inferKind(name: string, schema: Joi.Schema): CellKind {
  const { type, flags, rules, metas } = schema.describe() as Joi.Description & {
    flags?: { only?: boolean };
    rules?: { name: string }[];
    metas?: { format?: string }[];
  };
  if (type === 'boolean') return 'boolean';
  if (type === 'number') return name.endsWith('_cents') ? 'cents' : 'plain';
  const format = metas?.find((meta) => meta.format)?.format;
  if (format === 'date-time') return 'time';
  const isPlain =
    type !== 'string' || flags?.only || format === 'date' || rules?.some((rule) => rule.name === 'guid');
  return isPlain ? 'plain' : 'text';
}

export function createRenderer(name: string, field: Field): (alias: string) => JsonMember {
  const output = getOutput(field);
  const isTime = output !== null && inferKind(name, output) === 'time';
  return (alias) => {
    const sql = field.sql?.(alias);
    if (isTime) return jsonTime(alias, name, sql);
    return sql === undefined ? name : { name, sql };
  };
}
