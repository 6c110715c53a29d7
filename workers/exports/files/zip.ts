import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ExportFile, ExportSummary } from '../../../shared/resources/exports/order.js';
import { copyFile, type Writing } from './copy-file.js';
import { COMPRESSION_LEVEL, type Frame } from './frames.js';
import { sourcesOf } from './sources.js';
import { together, unlessAborted } from './together.js';

/** Writes the files of an order one after another as a zip; everything has a `manifest.json` as its last. */
export async function writeZip(
  writing: Writing,
  sink: Writable,
  signal: AbortSignal | undefined,
): Promise<ExportSummary> {
  const zip = new ZipFile();
  const files = await together(signal, (either) => [
    fill(writing, zip, either),
    pipeline(zip.outputStream, sink, { signal: either }),
  ]);
  return { rows: rowsOf(files), files };
}

async function fill(writing: Writing, zip: ZipFile, signal: AbortSignal): Promise<ExportFile[]> {
  const { snapshot, order } = writing;
  const [moment] = await unlessAborted(
    snapshot.query<{ at: Date }>({ text: 'select transaction_timestamp() as at' }),
    signal,
  );
  const mtime = moment?.at as Date;
  const entry = { mtime, compressionLevel: COMPRESSION_LEVEL };
  const files: ExportFile[] = [];
  for (const source of sourcesOf(order)) {
    const send = (rows: Readable, frame: Frame) => {
      zip.addReadStream(frame, `${source.name}.${order.format}`, entry);
      return pipeline(rows, frame, { signal });
    };
    files.push(await copyFile(writing, source, { signal, before: rowsOf(files), send }));
  }
  if (order.resource === 'all') {
    const manifest = { tenant_id: order.tenantId, snapshot_at: mtime, format: order.format, files };
    zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'manifest.json', entry);
  }
  zip.end();
  return files;
}

function rowsOf(files: readonly ExportFile[]): number {
  return files.reduce((rows, file) => rows + file.rows, 0);
}
