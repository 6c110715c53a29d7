import type { Statement } from '../../../shared/platform/postgres.js';
import { conditionsOf } from '../../../shared/resources/exports/conditions.js';
import type { ExportOrder } from '../../../shared/resources/exports/order.js';
import { resourceTable } from '../../../shared/resources/tables.js';
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
  const { alias, entity } = source;
  if (order.format !== 'csv') {
    if (entity === undefined) throw new Error(`${source.name} has no representation of its own`);
    const json = `${resourceTable(entity).representation(alias)}::text`;
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
  const { alias, from, select, orderBy } = source;
  const { text, values } = conditionsOf(order, source.list);
  return {
    text: `select ${cells} from (select ${select} from ${from} where ${text} order by ${orderBy}) ${alias}`,
    values,
  };
}

/** One row: how many rows a file must have, and the sums of its cents by name; all as texts. */
export function totalsOf(order: ExportOrder, source: Source): Statement {
  const { alias, from, select, columns } = source;
  const sums = columns
    .filter(({ isCents }) => isCents)
    .map(({ name, sql }) => `coalesce(sum(${sql}), 0)::text as ${name}`);
  const { text, values } = conditionsOf(order, source.list);
  return {
    text: `select ${['count(*)::text as rows', ...sums].join(', ')} from (select ${select} from ${from} where ${text}) ${alias}`,
    values,
  };
}
