import type { Statement } from '../../../shared/platform/postgres.js';
import { conditionsOf } from '../../../shared/resources/exports/conditions.js';
import type { ExportOrder } from '../../../shared/resources/exports/order.js';
import { Conditions } from '../../../shared/resources/keyset-list.js';
import { type Column, decimalOf } from './cells.js';
import type { Source } from './sources.js';

/**
 * JSON text has no control characters, so with these two for quotes and delimiters COPY passes it through as it is; its text format would double every
 * backslash.
 */
const JSON_OPTIONS = `format csv, delimiter E'\\x02', quote E'\\x01'`;

/** What to read, and what the stream makes of it (frames.ts). */
export interface Reading {
  query: Statement;
  /** Of COPY. */
  options: string;
  /** The columns' names in their order; of CSV only. */
  header: string[];
}

/**
 * A row of CSV ends in an empty column too many: its comma becomes the CR that RFC 4180 wants before the line feed, in place. Of an array each object has a comma before it.
 * The rows are sorted before they are printed, not after.
 */
export function readingOf(order: ExportOrder, source: Source): Reading {
  const { alias } = source;
  if (order.format !== 'csv') {
    if (source.json === undefined) throw new Error(`${source.name} has no representation of its own`);
    const json = `${source.json(alias)}::text`;
    const text = order.format === 'json' ? `',' || ${json}` : json;
    return { query: rowsOf(order, source, text), options: JSON_OPTIONS, header: [] };
  }
  const columns = columnsOf(order, source);
  const cells = [...columns.map(({ sql }) => sql), 'null'].join(', ');
  return {
    query: rowsOf(order, source, cells),
    options: 'format csv',
    header: columns.map(({ name }) => name),
  };
}

function columnsOf({ decimals }: ExportOrder, { columns }: Source): Column[] {
  return columns.flatMap((column) => (decimals && column.isCents ? [column, decimalOf(column)] : [column]));
}

function rowsOf(order: ExportOrder, source: Source, cells: string): Statement {
  const { alias, orderBy } = source;
  const { text, values } = whereOf(order, source);
  const inner = `${readFrom(source, order.format === 'csv')} where ${text} order by ${orderBy}`;
  return { text: `select ${cells} from (${inner}) ${alias}`, values };
}

/** @param isCsv with what only columns need */
function readFrom({ select, from, beside }: Source, isCsv: boolean): string {
  if (!isCsv || !beside) return `select ${select} from ${from}`;
  return `select ${[select, beside.select].filter(Boolean).join(', ')} from ${from} ${beside.join}`;
}

function whereOf(order: ExportOrder, { list }: Source): Conditions {
  return list ? conditionsOf(order, list) : new Conditions().add('t.tenant_id = ?', order.tenantId);
}

/** One row: how many rows a file must have, and the sums of its cents by name; all as texts. */
export function totalsOf(order: ExportOrder, source: Source): Statement {
  const { alias, columns } = source;
  const sums = columns
    .filter(({ isCents }) => isCents)
    .map(({ name, sql }) => `coalesce(sum(${sql}), 0)::text as ${name}`);
  const { text, values } = whereOf(order, source);
  // Sums are of columns: the names beside them are not read.
  const rows = `${readFrom(source, false)} where ${text}`;
  return {
    text: `select ${['count(*)::text as rows', ...sums].join(', ')} from (${rows}) ${alias}`,
    values,
  };
}
