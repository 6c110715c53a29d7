import type { Readable } from 'node:stream';
import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type { ExportFile, ExportRequest } from '../../../shared/resources/exports/request/export-request.js';
import { buildCopyQuery, buildTotalsQuery } from './copy-queries.js';
import { CsvFileStream, type FileStream, JsonFileStream } from './file-streams.js';
import { rejectOnAbort } from './run-concurrently.js';
import type { FileSource } from './sources.js';

/**
 * Called for each chunk with the number of rows written so far in all files. Must return quickly.
 */
export type OnProgress = (rows: number) => void;

export interface CopyContext {
  snapshot: Snapshot;
  request: ExportRequest;
  onProgress: OnProgress | undefined;
}

export interface CopyFileOptions {
  signal: AbortSignal | undefined;
  earlierRows: number;
  /**
   * Sends the rows through `frame` to their destination. Resolves when all rows have passed
   * `frame`.
   */
  pipeRows: (rows: Readable, frame: FileStream) => Promise<unknown>;
}

/**
 * Copies the rows of one file, then compares their number with a count in the same snapshot.
 * @throws {Error} if the two numbers differ
 */
export async function copyFile(
  { snapshot, request, onProgress }: CopyContext,
  source: FileSource,
  { signal, earlierRows, pipeRows }: CopyFileOptions,
): Promise<ExportFile> {
  const { query, options, header } = buildCopyQuery(request, source);
  const onChunk = () => onProgress?.(earlierRows + frame.rows);
  const frame: FileStream =
    request.format === 'csv'
      ? new CsvFileStream({ header, bom: request.bom }, onChunk)
      : new JsonFileStream(request.format === 'json', onChunk);
  const rows = snapshot.copy(query, options);
  // `pipeRows` already reports errors. When the session ends, `rows` emits a further error, which
  // would end the process without this listener.
  rows.on('error', () => undefined);
  await pipeRows(rows, frame);
  const [totals] = await rejectOnAbort(
    snapshot.query<Record<string, string>>(buildTotalsQuery(request, source)),
    signal,
  );
  const { rows: expected, ...sums } = totals ?? {};
  if (Number(expected) !== frame.rows)
    throw new Error(`${source.name} has ${frame.rows} rows, but the snapshot counts ${expected}`);
  return {
    name: `${source.name}.${request.format}`,
    rows: frame.rows,
    bytes: frame.bytes,
    sha256: frame.digest,
    sums: Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, Number(sum)])),
  };
}
