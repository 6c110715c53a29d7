import type Joi from 'joi';
import { type JsonMember, jsonObject, memoizeByAlias } from '../../contracts/resource.js';
import { allRequired } from '../../contracts/schemas/fields.js';
import type { References } from '../references.js';
import { type Cell, type CellKind, createRenderer, type Field, getOutput, inferKind } from './field.js';

/**
 * The schemas, columns and SQL that follow from the fields of a resource. They are computed once,
 * when the module is loaded.
 */
export interface RecordFields {
  creation: Joi.SchemaMap;
  change: Joi.SchemaMap;
  /** The schema of the record in responses. All members are required. */
  response: Joi.ObjectSchema;
  /** The columns that clients set, with their SQL types, in the form that `recordsetSql` needs. */
  settable: string;
  /** The columns that a change may set, in the same form as `settable`. */
  changeable: string;
  settableNames: readonly string[];
  /** The names of the table's columns that responses or files show. */
  columnNames: readonly string[];
  /** The cells of a CSV row. New columns come last, because spreadsheets rely on the sequence. */
  cells: readonly Required<Cell>[];
  /** The names of the members that contain text written by people. */
  freeTextNames: readonly string[];
  /** The fields that hold ids of other records. Each field is mapped to the table of its record. */
  references: References;
  /** Returns the members of the record's JSON object. Their SQL reads the row with this alias. */
  members: (alias: string) => JsonMember[];
  /**
   * The members that are part of the JSON text stored beside the row. In the JSON object, they come
   * first.
   */
  storedMembers: (alias: string) => JsonMember[];
  computedMembers: (alias: string) => JsonMember[];
  /** Returns the SQL for the record's JSON object. The SQL reads the row with this alias. */
  representation: (alias: string) => string;
}

/**
 * Derives the schemas, columns and SQL of a resource. Add new fields at the end, because JSON
 * members and CSV columns keep the sequence of the fields. JSON members with `isComputedOnRead`
 * come after all others.
 */
export function defineFields(fields: Readonly<Record<string, Field>>): RecordFields {
  const entries = Object.entries(fields);
  const shown = entries.filter(([, field]) => getOutput(field) !== null);
  const stored = shown.filter(([, field]) => !field.isComputedOnRead);
  const computed = shown.filter(([, field]) => field.isComputedOnRead);
  const settable = entries.filter(([, field]) => field.input);
  const storedMembers = createMembersRenderer(stored);
  const computedMembers = createMembersRenderer(computed);
  const members = (alias: string) => [...storedMembers(alias), ...computedMembers(alias)];
  return {
    creation: buildInput(entries, 'create'),
    change: buildInput(entries, 'change'),
    response: allRequired(
      Object.fromEntries(
        [...stored, ...computed].map(([name, field]) => [name, getOutput(field) as Joi.Schema]),
      ),
    ),
    settable: formatColumns(settable),
    changeable: formatColumns(settable.filter(([, { setBy }]) => setBy !== 'create')),
    settableNames: settable.flatMap(([name, field]) => listTypedColumns(name, field)).map(([name]) => name),
    columnNames: entries.flatMap(([name, field]) => listColumnNames(name, field)),
    cells: [
      ...entries.filter(([, { isLastInCsv }]) => !isLastInCsv),
      ...entries.filter(([, { isLastInCsv }]) => isLastInCsv),
    ].flatMap(([name, field]) => listCells(name, field)),
    freeTextNames: entries.flatMap(([name, { freeText = [] }]) => (freeText === true ? [name] : freeText)),
    references: Object.fromEntries(
      entries.flatMap(([name, { references }]) => (references ? [[name, references]] : [])),
    ),
    members,
    storedMembers,
    computedMembers,
    representation: memoizeByAlias((alias) => jsonObject(alias, members(alias))),
  };
}

/**
 * Creates the renderers once, not for each query. Creating one describes the field's Joi schema,
 * which takes longer than building a query.
 */
function createMembersRenderer(fields: [string, Field][]): RecordFields['members'] {
  const renderers = fields.map(([name, field]) => createRenderer(name, field));
  return (alias) => renderers.map((render) => render(alias));
}

/**
 * Works like {@link defineFields}, for a list whose entries are stored as JSON in one column. A
 * query that exports the entries must return each entry in a column named `value`.
 */
export function defineEntryFields(fields: Readonly<Record<string, Field>>): RecordFields {
  const entries = Object.entries(fields).map(([name, field]) => {
    const csv = listCells(name, field).map(({ kind }) => buildEntryCell(name, kind));
    return [name, { ...field, columns: null, csv }] as const;
  });
  return defineFields(Object.fromEntries(entries));
}

/**
 * Builds the CSV cell for one member of an entry. Times and booleans need no conversion, because
 * the JSON already holds them in the form that files show.
 */
function buildEntryCell(name: string, kind: CellKind): Cell {
  const value = (alias: string) => `(${alias}.value ->> '${name}')`;
  if (kind === 'cents') return { name, kind, sql: (alias) => `${value(alias)}::bigint` };
  return { name, kind: kind === 'text' ? 'text' : 'plain', sql: value };
}

function buildInput(entries: [string, Field][], request: NonNullable<Field['setBy']>): Joi.SchemaMap {
  return Object.fromEntries(
    entries.flatMap(([name, { input, changeInput = input, setBy = request, isRequired }]) => {
      if (!input || !changeInput || setBy !== request) return [];
      if (request === 'change') return [[name, changeInput]];
      return [[name, isRequired ? input.required() : input]];
    }),
  );
}

function formatColumns(entries: [string, Field][]): string {
  return entries
    .flatMap(([name, field]) => listTypedColumns(name, field))
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');
}

function listTypedColumns(name: string, { columns }: Field): [name: string, type: string][] {
  if (typeof columns === 'string') return [[name, columns]];
  return columns ? Object.entries(columns) : [];
}

function listColumnNames(name: string, field: Field): string[] {
  const isShown = getOutput(field) !== null || Boolean(field.csv);
  if (field.columns === null || !isShown) return [];
  return field.columns ? listTypedColumns(name, field).map(([column]) => column) : [name];
}

function listCells(name: string, field: Field): Required<Cell>[] {
  const output = getOutput(field);
  const csv = field.csv ?? (output && field.csv !== null ? inferKind(name, output) : null);
  if (csv === null) return [];
  const cells: readonly Cell[] =
    typeof csv === 'string' ? [{ name, kind: csv, ...(field.sql && { sql: field.sql }) }] : csv;
  return cells.map((cell) => ({ sql: (alias) => `${alias}.${cell.name}`, ...cell }));
}
