import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Snapshot } from '../../../shared/platform/postgres/snapshot.js';
import type {
  ExportRequest,
  ExportSummary,
} from '../../../shared/resources/exports/request/export-request.js';
import { type CopyContext, copyFile, type OnProgress } from './copy-file.js';
import { isZip } from './export-file-name.js';
import { BUFFER_BYTES, COMPRESSION_LEVEL } from './file-streams.js';
import { runConcurrently } from './run-concurrently.js';
import { type FileSource, listFileSources } from './sources.js';
import { writeZip } from './zip.js';

export interface WriteDumpOptions {
  tenantId: string;
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export interface WriteOptions {
  onProgress?: OnProgress;
  signal?: AbortSignal;
  /** Writes the SQL of a dump to `sink`, and ends `sink`. */
  writeDump?: (snapshot: Snapshot, sink: Writable, options: WriteDumpOptions) => Promise<ExportSummary>;
}

/**
 * Writes an export of the snapshot to `sink`, and ends `sink`. Writes one file, compressed or
 * plain, or a zip of several files. Respects the back-pressure of `sink` and keeps no rows in
 * memory. After an error or an abort, destroys `sink`. A COPY may then still run in the snapshot,
 * so the caller must not use the snapshot again.
 * @throws the first error; after an abort, the reason of the signal
 * @throws {Error} if the number of rows in a file differs from a count in the snapshot. The caller
 *   must then discard the export
 */
export async function writeExport(
  snapshot: Snapshot,
  request: ExportRequest,
  sink: Writable,
  options: WriteOptions = {},
): Promise<ExportSummary> {
  const { signal, onProgress } = options;
  const writing = { snapshot, request, onProgress };
  try {
    signal?.throwIfAborted();
    if (request.format === 'dump') return await writeDumpFile(writing, sink, options);
    return await (isZip(request) ? writeZip : writeFile)(writing, sink, signal);
  } catch (error) {
    // Destroy `sink` without an error. With an error, `sink` would emit an error event, which ends
    // the process if the event has no listener.
    sink.destroy();
    throw signal?.aborted ? signal.reason : error;
  }
}

async function writeFile(
  writing: CopyContext,
  sink: Writable,
  signal: AbortSignal | undefined,
): Promise<ExportSummary> {
  const { request } = writing;
  const [source] = listFileSources(request) as [FileSource];
  const stages = request.compression === 'gzip' ? [createGzipStream(), sink] : [sink];
  const file = await copyFile(writing, source, {
    signal,
    earlierRows: 0,
    pipeRows: (rows, frame) => pipeline([rows, frame, ...stages], signal ? { signal } : {}),
  });
  return { rows: file.rows, files: [file] };
}

async function writeDumpFile(
  { snapshot, request, onProgress }: CopyContext,
  sink: Writable,
  { writeDump, signal }: WriteOptions,
): Promise<ExportSummary> {
  if (!writeDump) throw new Error('the option writeDump is required for a dump');
  const compressed = createGzipStream();
  const progress = onProgress ? { onProgress } : {};
  return runConcurrently(signal, (combined) => [
    writeDump(snapshot, compressed, { tenantId: request.tenantId, signal: combined, ...progress }),
    pipeline(compressed, sink, { signal: combined }),
  ]);
}

function createGzipStream(): Gzip {
  return createGzip({
    level: COMPRESSION_LEVEL,
    chunkSize: 64 * 1024,
    highWaterMark: BUFFER_BYTES,
  } as object);
}
