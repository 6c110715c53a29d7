import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Snapshot } from '../../../shared/platform/postgres-snapshot.js';
import type { ExportOrder, ExportSummary } from '../../../shared/resources/exports/order.js';
import { copyFile, type OnProgress, type Writing } from './copy-file.js';
import { BUFFER_BYTES, COMPRESSION_LEVEL } from './frames.js';
import { isZip } from './names.js';
import { type Source, sourcesOf } from './sources.js';
import { together } from './together.js';
import { writeZip } from './zip.js';

export interface DumpOptions {
  tenantId: string;
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export interface WriteOptions {
  onProgress?: OnProgress;
  signal?: AbortSignal;
  /** Writes a dump's SQL and ends the stream that it is given. */
  writeDump?: (snapshot: Snapshot, sink: Writable, options: DumpOptions) => Promise<ExportSummary>;
}

/**
 * Writes what an order asks for, as the snapshot has it, and ends the sink: one file, gzip'd or plain, or a zip of several. No faster than the sink takes it; no row
 * is held. When the snapshot, the sink or the signal fails, the sink is destroyed; the snapshot may be amid a COPY then, so all that is left to do with it is to close it.
 * @throws what failed first, or the signal's reason; {Error} when a file came to other rows than the snapshot counts: it must not be kept
 */
export async function writeExport(
  snapshot: Snapshot,
  order: ExportOrder,
  sink: Writable,
  options: WriteOptions = {},
): Promise<ExportSummary> {
  const { signal, onProgress } = options;
  const writing = { snapshot, order, onProgress };
  try {
    signal?.throwIfAborted();
    if (order.format === 'dump') return await writeDumpFile(writing, sink, options);
    return await (isZip(order) ? writeZip : writeFile)(writing, sink, signal);
  } catch (error) {
    // Without the error: it is thrown, and a sink that nobody listens to would end the process with it.
    sink.destroy();
    throw signal?.aborted ? signal.reason : error;
  }
}

async function writeFile(
  writing: Writing,
  sink: Writable,
  signal: AbortSignal | undefined,
): Promise<ExportSummary> {
  const { order } = writing;
  const [source] = sourcesOf(order) as [Source];
  const stages = order.compression === 'gzip' ? [gzip(), sink] : [sink];
  const file = await copyFile(writing, source, {
    signal,
    before: 0,
    send: (rows, frame) => pipeline([rows, frame, ...stages], signal ? { signal } : {}),
  });
  return { rows: file.rows, files: [file] };
}

async function writeDumpFile(
  { snapshot, order, onProgress }: Writing,
  sink: Writable,
  { writeDump, signal }: WriteOptions,
): Promise<ExportSummary> {
  if (!writeDump) throw new Error('whoever asks for a dump has to bring what writes it');
  const packed = gzip();
  const progress = onProgress ? { onProgress } : {};
  return together(signal, (either) => [
    writeDump(snapshot, packed, { tenantId: order.tenantId, signal: either, ...progress }),
    pipeline(packed, sink, { signal: either }),
  ]);
}

function gzip(): Gzip {
  return createGzip({
    level: COMPRESSION_LEVEL,
    chunkSize: 64 * 1024,
    highWaterMark: BUFFER_BYTES,
  } as object);
}
