import Joi from 'joi';
import { type JsonMember, jsonTime } from '../../contracts/resource.js';
import { dateTime, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import type { ReferencedTable } from '../references.js';

/**
 * How a CSV file prints a value. `text` is protected against formulas, because people may have
 * written it. `plain` is not, because it contains no text that people wrote.
 */
export type CellKind = 'text' | 'plain' | 'time' | 'cents' | 'boolean';

export interface Cell {
  name: string;
  kind: CellKind;
  /**
   * Returns the SQL for the value, over the row with this alias. By default, it is the column with
   * the cell's name.
   */
  sql?: (alias: string) => string;
}

/**
 * One field of a resource. It determines what clients send and get, and which texts are marked as
 * untrusted for agents. It also determines the columns of the table, of the CSV file and of the SQL
 * dump.
 */
export interface Field {
  /** What a request may contain; absent if no client sets the field. */
  input?: Joi.Schema;
  /** What a change may contain, if the rule differs from the rule for a creation. */
  changeInput?: Joi.Schema;
  /** Which request may set the field; by default, creations and changes. */
  setBy?: 'create' | 'change';
  isRequired?: true;
  /**
   * What a response contains. By default, this is the schema of `input`. Null if responses do not
   * show the field.
   */
  output?: Joi.Schema | null;
  /**
   * Returns the SQL for the value, over the row with this alias. By default, it is the field's
   * column.
   */
  sql?: (alias: string) => string;
  /**
   * SQL type of the field's column, or an object that maps each of the field's columns to its type.
   * Null for a computed field. If absent, the column has the field's name, and creations and
   * changes do not set it.
   */
  columns?: string | Readonly<Record<string, string>> | null;
  /**
   * How the CSV file prints the field, or a list of the field's columns in that file. By default,
   * derived from the output. Null if the CSV file omits the field.
   */
  csv?: CellKind | readonly Cell[] | null;
  /**
   * Puts the field's column last in the CSV file. Set if the column was added to the file after the
   * columns of the fields below this one.
   */
  isLastInCsv?: true;
  /** The value must be the id of a record in this table that belongs to the account. */
  references?: ReferencedTable;
  /**
   * True if people write this text and agents read it. A list names the members of an object that
   * contain such text.
   */
  freeText?: true | readonly string[];
}

export const recordId = (): Field => ({ output: uuid() });

/** Builds a field for a time that commands set and clients do not. Responses show it in UTC. */
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

/** Returns the schema of the field in responses, or null if responses do not show the field. */
export function getOutput({ input, output }: Field): Joi.Schema | null {
  return output === undefined ? (input ?? null) : output;
}

/**
 * Derives how a CSV file prints a value. A string counts as text that people wrote, unless it is an
 * id, a day, a time or a value from a fixed list.
 */
export function inferKind(name: string, schema: Joi.Schema): CellKind {
  // Describing an object or an array takes long, and none of them is text.
  if (schema.type !== 'string') return inferKindOfType(name, schema.type);
  const { flags, rules, metas } = schema.describe() as Joi.Description & {
    flags?: { only?: boolean };
    rules?: { name: string }[];
    metas?: { format?: string }[];
  };
  const format = metas?.find((meta) => meta.format)?.format;
  if (format === 'date-time') return 'time';
  const isPlain = flags?.only || format === 'date' || rules?.some((rule) => rule.name === 'guid');
  return isPlain ? 'plain' : 'text';
}

function inferKindOfType(name: string, type: string | undefined): CellKind {
  if (type === 'boolean') return 'boolean';
  return type === 'number' && name.endsWith('_cents') ? 'cents' : 'plain';
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
