import { createHash } from 'node:crypto';
import { addAbortSignal, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type { ExportFile, ExportSummary } from '../../../shared/resources/exports/request/export-request.js';
import { type DumpTable, readDumpTables } from './catalog.js';
import { buildAddKeys, buildCreateTable, quoteIdentifier } from './definitions.js';
import { readDumpedTenant, renderDumpFooter, renderDumpHeader } from './dump-header.js';

export interface DumpOptions {
  tenantId: string;
  /** Aborts the dump immediately. The snapshot is then unusable. */
  signal?: AbortSignal;
  /** Called for each chunk from the database, with the number of rows read so far. */
  onProgress?: (rows: number) => void;
}

/**
 * Writes all data of one tenant as SQL. `psql` restores the file in one transaction into an empty
 * database of PostgreSQL 13 or later. Tables come first, then rows, then keys, indexes and foreign
 * keys. Respects the back-pressure of `sink`, buffers nothing, and ends `sink`. After an error or
 * an abort, destroys `sink`.
 * @returns one entry per table; bytes and SHA-256 cover only the rows in COPY's text format
 * @throws the reason of the signal if it is aborted
 * @throws {Error} if the snapshot does not contain the tenant
 */
export async function writeDump(
  snapshot: Snapshot,
  sink: Writable,
  options: DumpOptions,
): Promise<ExportSummary> {
  const files: ExportFile[] = [];
  const { signal } = options;
  try {
    await pipeline(generateSql(snapshot, options, files), sink, signal ? { signal } : {});
  } catch (error) {
    // After an abort, throw the reason of the signal. Without this line the caller would get an
    // AggregateError, because several streams fail.
    signal?.throwIfAborted();
    throw error;
  }
  return { rows: countRows(files), files };
}

/** Generates the SQL of the dump. After the rows of each table, adds an entry to `files`. */
async function* generateSql(
  snapshot: Snapshot,
  options: DumpOptions,
  files: ExportFile[],
): AsyncGenerator<string | Buffer> {
  await setOutputFormats(snapshot);
  const tables = await readDumpTables(snapshot);
  yield renderDumpHeader(await readDumpedTenant(snapshot, options.tenantId));
  yield tables.map((table) => buildCreateTable(table)).join('\n');
  for (const table of tables) {
    const names = columnListSql(table);
    yield `\nCOPY public.${quoteIdentifier(table.name)} (${names}) FROM stdin;\n`;
    const earlierRows = countRows(files);
    const counts = { rows: 0, bytes: 0, hash: createHash('sha256') };
    for await (const chunk of copyRows(snapshot, table, options)) {
      counts.hash.update(chunk);
      counts.bytes += chunk.length;
      counts.rows += countLineFeeds(chunk);
      yield chunk;
      options.onProgress?.(earlierRows + counts.rows);
    }
    yield '\\.\n';
    const sums = await sumCents(snapshot, table, options.tenantId);
    const { rows, bytes, hash } = counts;
    files.push({ name: table.name, rows, bytes, sha256: hash.digest('hex'), sums });
  }
  yield `\n${buildAddKeys(tables)}`;
  yield renderDumpFooter(files);
}

/**
 * Sets the output formats of this session. Otherwise the dump would depend on the settings of the
 * server or the role.
 */
async function setOutputFormats(snapshot: Snapshot): Promise<void> {
  await snapshot.query({
    text: `select set_config(name, value, true)
           from (values ('datestyle', 'ISO, YMD'), ('intervalstyle', 'postgres'), ('timezone', 'UTC'), ('bytea_output', 'hex'),
                        ('extra_float_digits', '1'), ('quote_all_identifiers', 'off'), ('search_path', 'public')) as settings (name, value)`,
  });
}

function columnListSql({ columns }: DumpTable): string {
  return columns
    .filter(({ isGenerated }) => !isGenerated)
    .map(({ name }) => quoteIdentifier(name))
    .join(', ');
}

function copyRows(
  snapshot: Snapshot,
  table: DumpTable,
  { tenantId, signal }: DumpOptions,
): AsyncIterable<Buffer> {
  const text = `select ${columnListSql(table)} from public.${quoteIdentifier(table.name)} where tenant_id = $1`;
  const rows = snapshot.copy({ text, values: [tenantId] }, 'format text');
  return signal ? addAbortSignal(signal, rows) : rows;
}

const LINE_FEED = 10;

/** Counts the rows that end in this chunk. In COPY's text format, every line feed ends a row. */
function countLineFeeds(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

function countRows(files: readonly ExportFile[]): number {
  return files.reduce((rows, file) => rows + file.rows, 0);
}

/** Sums each column of cents, in the same snapshot as the copied rows. */
async function sumCents(
  snapshot: Snapshot,
  { name, columns }: DumpTable,
  tenantId: string,
): Promise<Record<string, number>> {
  const cents = columns.map((column) => column.name).filter((column) => column.endsWith('_cents'));
  if (cents.length === 0) return {};
  const sums = cents.map(
    (column) => `coalesce(sum(${quoteIdentifier(column)}), 0)::text as ${quoteIdentifier(column)}`,
  );
  const text = `select ${sums.join(', ')} from public.${quoteIdentifier(name)} where tenant_id = $1`;
  const [row] = await snapshot.query<Record<string, string>>({ text, values: [tenantId] });
  return Object.fromEntries(Object.entries(row ?? {}).map(([column, sum]) => [column, Number(sum)]));
}
