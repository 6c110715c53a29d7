import type { SqlQuery } from '../../../shared/platform/postgres/database.js';
import { Conditions } from '../../../shared/records/lists/keyset-list.js';
import { buildExportConditions } from '../../../shared/resources/exports/request/conditions.js';
import type { ExportRequest } from '../../../shared/resources/exports/request/export-request.js';
import { type CsvColumn, decimalColumn } from './cells.js';
import type { FileSource } from './sources.js';

/**
 * The options with which COPY prints JSON text unchanged. The delimiter and the quote are control
 * characters, which never occur in JSON text. So COPY escapes nothing. COPY's text format would
 * double every backslash.
 */
const JSON_OPTIONS = `format csv, delimiter E'\\x02', quote E'\\x01'`;

export interface CopyQuery {
  query: SqlQuery;
  options: string;
  /** Names of the CSV columns in sequence; empty for other formats. */
  header: string[];
}

/**
 * Builds the COPY query of a file. The inner query sorts the rows, and the outer query formats
 * them.
 *
 * A CSV row ends with an extra empty column. CsvFileStream replaces the comma before this column
 * with the CR that RFC 4180 requires before the line feed. In a JSON array, a comma precedes each
 * object.
 */
export function buildCopyQuery(request: ExportRequest, source: FileSource): CopyQuery {
  const { alias } = source;
  if (request.format !== 'csv') {
    if (source.json === undefined) throw new Error(`${source.name} has no representation of its own`);
    const json = `${source.json(alias)}::text`;
    const text = request.format === 'json' ? `',' || ${json}` : json;
    return { query: buildRowsQuery(request, source, text), options: JSON_OPTIONS, header: [] };
  }
  const columns = listColumns(request, source);
  const cells = [...columns.map(({ sql }) => sql), 'null'].join(', ');
  return {
    query: buildRowsQuery(request, source, cells),
    options: 'format csv',
    header: columns.map(({ name }) => name),
  };
}

function listColumns({ decimals }: ExportRequest, { columns }: FileSource): CsvColumn[] {
  return columns.flatMap((column) =>
    decimals && column.isCents ? [column, decimalColumn(column)] : [column],
  );
}

function buildRowsQuery(request: ExportRequest, source: FileSource, cells: string): SqlQuery {
  const { alias, orderBy } = source;
  const { text, values } = buildConditions(request, source);
  const inner = `${buildSelect(source, request.format === 'csv')} where ${text} order by ${orderBy}`;
  return { text: `select ${cells} from (${inner}) ${alias}`, values };
}

function buildSelect({ select, from, csvExtras }: FileSource, isCsv: boolean): string {
  if (!isCsv || !csvExtras) return `select ${select} from ${from}`;
  return `select ${[select, csvExtras.select].filter(Boolean).join(', ')} from ${from} ${csvExtras.join}`;
}

function buildConditions(request: ExportRequest, { list }: FileSource): Conditions {
  return list
    ? buildExportConditions(request, list)
    : new Conditions().add('t.tenant_id = ?', request.tenantId);
}

/**
 * Builds a query that returns one row of texts: the number of rows, and the sum of each column of
 * cents.
 */
export function buildTotalsQuery(request: ExportRequest, source: FileSource): SqlQuery {
  const { alias, columns } = source;
  const sums = columns
    .filter(({ isCents }) => isCents)
    .map(({ name, sql }) => `coalesce(sum(${sql}), 0)::text as ${name}`);
  const { text, values } = buildConditions(request, source);
  // The sums need no names of related records, so the query skips the joins that find them.
  const rows = `${buildSelect(source, false)} where ${text}`;
  return {
    text: `select ${['count(*)::text as rows', ...sums].join(', ')} from (${rows}) ${alias}`,
    values,
  };
}
