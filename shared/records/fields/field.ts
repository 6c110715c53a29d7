import Joi from 'joi';
import { type JsonMember, jsonTime } from '../../contracts/resource.js';
import { dateTime, multilineText, text, uuid } from '../../contracts/schemas/fields.js';
import type { ReferencedTable } from '../references.js';

/** How a CSV file prints a value. `plain` holds no text that people wrote. */
export type CellKind = 'text' | 'plain' | 'time' | 'cents' | 'boolean';

/** One column of a CSV file. */
export interface Cell {
  name: string;
  kind: CellKind;
  /** SQL over the row with this alias; by default the column of the same name. */
  sql?: (alias: string) => string;
}

/**
 * One field of a resource, in one row. From it follow what clients may send and get back, the
 * columns of the table, the CSV file and the SQL dump, and the texts that agents get between marks.
 */
export interface Field {
  /** What a request may hold. Absent: no client sets the field. */
  input?: Joi.Schema;
  /** What a change may hold, if that differs from a creation. */
  changeInput?: Joi.Schema;
  /** The requests that may set it. Absent: creations and changes. */
  setBy?: 'create' | 'change';
  /** A creation must name it. */
  isRequired?: true;
  /** What a response holds; by default the input. Null: responses do not show it. */
  output?: Joi.Schema | null;
  /** SQL of its value, over the row with this alias; by default its column. */
  sql?: (alias: string) => string;
  /**
   * SQL type of its column, or each column with its SQL type. Absent: another command sets the
   * column of its name. Null: it is computed.
   */
  columns?: string | Readonly<Record<string, string>> | null;
  /**
   * How the CSV file prints it, or the columns that it has there; by default what the output is.
   * Null: the file omits it.
   */
  csv?: CellKind | readonly Cell[] | null;
  /** The CSV file got its column later than those of the fields below, so it comes last there. */
  isLastInCsv?: true;
  /** The table in which its value must be an id of the account. */
  references?: ReferencedTable;
  /** People outside write this text (or its members with these names), and agents read it. */
  freeText?: true | readonly string[];
}

/** The id of the record itself. */
export const recordId = (): Field => ({ output: uuid() });

/** A time that commands set. Responses show it in UTC. */
export const time = (output: Joi.Schema = dateTime()): Field => ({ output });

/** A nullable line of text that clients set. */
export function optionalText(maxLength: number, options: Partial<Field> = {}): Field {
  return {
    input: text(maxLength).allow(null),
    output: Joi.string().allow(null),
    columns: 'text',
    ...options,
  };
}

/** A nullable text of several lines that clients set. */
export function optionalMultilineText(maxLength: number, options: Partial<Field> = {}): Field {
  return optionalText(maxLength, { input: multilineText(maxLength).allow(null), ...options });
}

/** A nullable id of another record of the account. */
export function optionalReference(references: ReferencedTable, options: Partial<Field> = {}): Field {
  return { input: uuid().allow(null), output: uuid().allow(null), columns: 'uuid', references, ...options };
}

/** What responses hold of a field; null: nothing. */
export function getOutput({ input, output }: Field): Joi.Schema | null {
  return output === undefined ? (input ?? null) : output;
}

/**
 * How a CSV file prints a value with this schema. A string counts as text that people wrote unless
 * it is an id, a day, a time or one of a list.
 */
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

/** Returns what renders the member of the JSON object that shows a field. */
export function createRenderer(name: string, field: Field): (alias: string) => JsonMember {
  const output = getOutput(field);
  const isTime = output !== null && inferKind(name, output) === 'time';
  return (alias) => {
    const sql = field.sql?.(alias);
    if (isTime) return jsonTime(alias, name, sql);
    return sql === undefined ? name : { name, sql };
  };
}
