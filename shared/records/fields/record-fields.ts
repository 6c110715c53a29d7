import type Joi from 'joi';
import { type JsonMember, jsonObject } from '../../contracts/resource.js';
import { allRequired } from '../../contracts/schemas/fields.js';
import type { References } from '../references.js';
import { type Cell, type CellKind, createRenderer, type Field, getOutput, inferKind } from './field.js';

/** Derived from the fields of a resource once, when the module is loaded. */
export interface RecordFields {
  creation: Joi.SchemaMap;
  change: Joi.SchemaMap;
  /** All members are required. */
  response: Joi.ObjectSchema;
  /** The columns that clients set, with their SQL types, for `recordsetSql`. */
  settable: string;
  /** The settable columns that a change may set. */
  changeable: string;
  settableNames: readonly string[];
  /** Names of the columns of the table that responses or files show. */
  columnNames: readonly string[];
  /** New columns come last, because spreadsheets rely on the sequence. */
  cells: readonly Required<Cell>[];
  /** Members with texts from people outside. */
  freeTextNames: readonly string[];
  /** The table of each field that holds another record's id. */
  references: References;
  /** The members of the JSON object, over the row with this alias. */
  members: (alias: string) => JsonMember[];
  /** SQL for the JSON object, over the row with this alias. */
  representation: (alias: string) => string;
}

/** New fields come last, because JSON members and CSV columns keep the sequence of the fields. */
export function defineFields(fields: Readonly<Record<string, Field>>): RecordFields {
  const entries = Object.entries(fields);
  const shown = entries.filter(([, field]) => getOutput(field) !== null);
  const settable = entries.filter(([, field]) => field.input);
  // Joi describes a schema more slowly than a query is built, so the schemas are described once.
  const renderers = shown.map(([name, field]) => createRenderer(name, field));
  const members = (alias: string) => renderers.map((render) => render(alias));
  return {
    creation: buildInput(entries, 'create'),
    change: buildInput(entries, 'change'),
    response: allRequired(
      Object.fromEntries(shown.map(([name, field]) => [name, getOutput(field) as Joi.Schema])),
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
    representation: memoizeByAlias((alias) => jsonObject(alias, members(alias))),
  };
}

/** Keeps each text, because every query needs it and the code uses only a few aliases. */
function memoizeByAlias(render: (alias: string) => string): (alias: string) => string {
  const texts = new Map<string, string>();
  return (alias) => {
    const text = texts.get(alias) ?? render(alias);
    texts.set(alias, text);
    return text;
  };
}

/**
 * For entries of a list that a column holds as JSON. In the file of the
 * entries, `value` holds an entry.
 */
export function defineEntryFields(fields: Readonly<Record<string, Field>>): RecordFields {
  const entries = Object.entries(fields).map(([name, field]) => {
    const csv = listCells(name, field).map(({ kind }) => buildEntryCell(name, kind));
    return [name, { ...field, columns: null, csv }] as const;
  });
  return defineFields(Object.fromEntries(entries));
}

/** The JSON already holds times and booleans in the form that files show. */
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
