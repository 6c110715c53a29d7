import Joi from 'joi';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired } from '../../contracts/schemas/fields.js';
import { type Field, getOutput, inferKind } from './field.js';

/** A field whose value is an object. Each member of the object is stored in its own column. */
export interface ColumnGroup extends Field {
  /**
   * Converts the value into columns. Null clears all columns of the group. An object sets only the
   * columns of the members that it contains.
   */
  toColumns: (value: object | null | undefined) => Record<string, unknown>;
}

/**
 * Builds a field whose value is an object with these members. The prefix is part of the column
 * names in the table and in the CSV file: with `vehicle`, `make` becomes `vehicle_make`.
 */
export function columnGroup(prefix: string, members: Readonly<Record<string, Field>>): ColumnGroup {
  const entries = Object.entries(members).map(([name, field]) => ({
    name,
    column: `${prefix}_${name}`,
    field,
    output: getOutput(field) as Joi.Schema,
  }));
  return {
    input: Joi.object(Object.fromEntries(entries.map(({ name, field }) => [name, field.input]))).allow(null),
    output: allRequired(Object.fromEntries(entries.map(({ name, output }) => [name, output]))),
    sql: (alias) =>
      jsonObject(
        alias,
        entries.map(({ name, column }) => ({ name, sql: `${alias}.${column}` })),
      ),
    columns: Object.fromEntries(entries.map(({ column, field }) => [column, field.columns as string])),
    csv: entries.map(({ name, column, output }) => ({ name: column, kind: inferKind(name, output) })),
    freeText: entries.filter(({ field }) => field.freeText).map(({ name }) => name),
    toColumns: (value) => {
      const given = value as Record<string, unknown> | null | undefined;
      const columns = entries.map(({ name, column }) => [column, given === null ? null : given?.[name]]);
      return Object.fromEntries(columns.filter(([, one]) => one !== undefined));
    },
  };
}
