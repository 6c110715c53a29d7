import Joi from 'joi';
import { type JsonMember, jsonTime } from '../../contracts/resource.js';
import { dateTime, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import type { ReferencedTable } from '../references.js';

/**
 * The format of a value in a CSV file. A `text` value is protected against spreadsheet formulas,
 * because people may have written it. A `plain` value contains no such text and is not protected.
 */
export type CellKind = 'text' | 'plain' | 'time' | 'cents' | 'boolean';

export interface Cell {
  name: string;
  kind: CellKind;
  /**
   * Returns the SQL for the value. The SQL reads the row with this alias. By default, it reads the
   * column with the cell's name.
   */
  sql?: (alias: string) => string;
}

/**
 * One field of a resource. It determines what clients send and get, and which texts are marked as
 * untrusted for agents. It also determines the columns of the table, of the CSV file and of the SQL
 * dump.
 */
export interface Field {
  /** The schema of the field in requests. Absent if clients cannot set the field. */
  input?: Joi.Schema;
  /** The schema of the field in a change, if it differs from the schema in a creation. */
  changeInput?: Joi.Schema;
  /**
   * The only kind of request that may set the field. By default, creations and changes may set it.
   */
  setBy?: 'create' | 'change';
  isRequired?: true;
  /**
   * The schema of the field in responses. By default, this is the schema of `input`. Null if
   * responses do not show the field.
   */
  output?: Joi.Schema | null;
  /**
   * Returns the SQL for the value. The SQL reads the row with this alias. By default, it reads the
   * field's column.
   */
  sql?: (alias: string) => string;
  /**
   * The SQL type of the field's column. If the field has several columns, an object maps each
   * column to its type. Null for a computed field. If absent, the column has the field's name, and
   * creations and changes do not set it.
   */
  columns?: string | Readonly<Record<string, string>> | null;
  /**
   * Set this if the value may change without a change of the row. Also set it for a generated
   * column, because a trigger stores the record's JSON text before PostgreSQL computes such a
   * column. The stored text then omits the field. Each read computes the field, and puts it after
   * all other members of the record's JSON object.
   */
  isComputedOnRead?: true;
  /**
   * The format of the field in the CSV file, or a list of the field's columns in that file. By
   * default, the format is derived from the output. Null if the CSV file omits the field.
   */
  csv?: CellKind | readonly Cell[] | null;
  /**
   * Puts the field's column last in the CSV file, not at the field's place in the table of fields.
   * Use this for a field that is newer than the fields after it, so that existing columns keep
   * their positions.
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
 * Derives the format of a value in a CSV file. A string counts as text that people wrote, unless it
 * is an id, a day, a time or a value from a fixed list.
 */
export function inferKind(name: string, schema: Joi.Schema): CellKind {
  if (schema.type !== 'string') return inferKindOfType(name, schema.type);
  // Read the parts of the schema directly. schema.describe() also validates the description, which
  // takes a tenth of the time that a process needs to load.
  const string = schema as Joi.StringSchema;
  const metas = (string.$_terms.metas ?? []) as { format?: string }[];
  const format = metas.find((meta) => meta.format)?.format;
  if (format === 'date-time') return 'time';
  const isPlain = string.$_getFlag('only') || format === 'date' || string.$_getRule('guid');
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
