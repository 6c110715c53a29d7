import { createHash } from 'node:crypto';
import { addAbortSignal, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Snapshot } from '../../../shared/platform/postgres-snapshot.js';
import type { ExportFile, ExportSummary } from '../../../shared/resources/exports/order.js';
import { type DumpTable, readDumpTables } from './catalog.js';
import { addKeys, createTable, quoted } from './definitions.js';
import { footer, header, readDumpedTenant } from './notes.js';

export interface DumpOptions {
  /** The snapshot's tenant. */
  tenantId: string;
  /** Ends it at once; the snapshot is of no use afterwards. */
  signal?: AbortSignal;
  /** Told how many rows were read so far, at every piece that comes from the database. */
  onProgress?: (rows: number) => void;
}

/**
 * Writes all data of one tenant as SQL, which `psql` restores into an empty database of PostgreSQL 13 or later: tables, rows, then keys, indexes and foreign keys,
 * in one transaction. No faster than `sink` takes it; nothing is collected. Ends `sink`, or destroys it when the database, the sink or the signal fails.
 * What is in it: contents.ts.
 * @returns one file for each table; its bytes, and so their SHA-256, are those of the rows in COPY's text format, without the lines around them
 * @throws the signal's reason once it is aborted
 * @throws {Error} when the snapshot sees no such tenant
 */
export async function writeDump(
  snapshot: Snapshot,
  sink: Writable,
  options: DumpOptions,
): Promise<ExportSummary> {
  const files: ExportFile[] = [];
  const { signal } = options;
  try {
    await pipeline(textOf(snapshot, options, files), sink, signal ? { signal } : {});
  } catch (error) {
    // Several streams may end by the one signal, and Node then throws an AggregateError of their reasons.
    signal?.throwIfAborted();
    throw error;
  }
  return { rows: rowsOf(files), files };
}

/** Adds each table to `files` when its rows are through. */
async function* textOf(
  snapshot: Snapshot,
  options: DumpOptions,
  files: ExportFile[],
): AsyncGenerator<string | Buffer> {
  await settleFormats(snapshot);
  const tables = await readDumpTables(snapshot);
  yield header(await readDumpedTenant(snapshot, options.tenantId));
  yield tables.map((table) => createTable(table)).join('\n');
  for (const table of tables) {
    const names = writtenColumns(table);
    yield `\nCOPY public.${quoted(table.name)} (${names}) FROM stdin;\n`;
    const before = rowsOf(files);
    const counts = { rows: 0, bytes: 0, hash: createHash('sha256') };
    for await (const chunk of copyRows(snapshot, table, options)) {
      counts.hash.update(chunk);
      counts.bytes += chunk.length;
      counts.rows += countLines(chunk);
      yield chunk;
      options.onProgress?.(before + counts.rows);
    }
    yield '\\.\n';
    const sums = await sumCents(snapshot, table, options.tenantId);
    const { rows, bytes, hash } = counts;
    files.push({ name: table.name, rows, bytes, sha256: hash.digest('hex'), sums });
  }
  yield `\n${addKeys(tables)}`;
  yield footer(files);
}

/** How values are printed must not depend on the server's or the role's settings. They last as long as the snapshot. */
async function settleFormats(snapshot: Snapshot): Promise<void> {
  await snapshot.query({
    text: `select set_config(name, value, true)
           from (values ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
                        ('extra_float_digits', '1'), ('quote_all_identifiers', 'off'), ('search_path', 'public')) as settings (name, value)`,
  });
}

function writtenColumns({ columns }: DumpTable): string {
  return columns
    .filter(({ isGenerated }) => !isGenerated)
    .map(({ name }) => quoted(name))
    .join(', ');
}

function copyRows(
  snapshot: Snapshot,
  table: DumpTable,
  { tenantId, signal }: DumpOptions,
): AsyncIterable<Buffer> {
  const text = `select ${writtenColumns(table)} from public.${quoted(table.name)} where tenant_id = $1`;
  const rows = snapshot.copy({ text, values: [tenantId] }, 'format text');
  return signal ? addAbortSignal(signal, rows) : rows;
}

const LINE_FEED = 10;

/** Rows that end in this piece: COPY's text format has no line feed but at the end of a row. */
function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

function rowsOf(files: readonly ExportFile[]): number {
  return files.reduce((rows, file) => rows + file.rows, 0);
}

/** Sums of a table's columns of cents; in the snapshot they are those of the rows that were copied. */
async function sumCents(
  snapshot: Snapshot,
  { name, columns }: DumpTable,
  tenantId: string,
): Promise<Record<string, number>> {
  const cents = columns.map((column) => column.name).filter((column) => column.endsWith('_cents'));
  if (cents.length === 0) return {};
  const sums = cents.map((column) => `coalesce(sum(${quoted(column)}), 0)::text as ${quoted(column)}`);
  const text = `select ${sums.join(', ')} from public.${quoted(name)} where tenant_id = $1`;
  const [row] = await snapshot.query<Record<string, string>>({ text, values: [tenantId] });
  return Object.fromEntries(Object.entries(row ?? {}).map(([column, sum]) => [column, Number(sum)]));
}
