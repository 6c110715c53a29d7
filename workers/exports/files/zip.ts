import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ExportFile, ExportSummary } from '../../../shared/resources/exports/order.js';
import { copyFile, type Writing } from './copy-file.js';
import { COMPRESSION_LEVEL, type Frame } from './frames.js';
import { sourcesOf } from './sources.js';
import { together, unlessAborted } from './together.js';

/**
 * Writes the files of an export request to a zip, one after another. For `all`, the last file is
 * `manifest.json`.
 */
export async function writeZip(
  writing: Writing,
  sink: Writable,
  signal: AbortSignal | undefined,
): Promise<ExportSummary> {
  const zip = new ZipFile();
  const files = await together(signal, (combined) => [
    addFiles(writing, zip, combined),
    pipeline(zip.outputStream, sink, { signal: combined }),
  ]);
  return { rows: countRows(files), files };
}

async function addFiles(writing: Writing, zip: ZipFile, signal: AbortSignal): Promise<ExportFile[]> {
  const { snapshot, order } = writing;
  const [snapshotTime] = await unlessAborted(
    snapshot.query<{ at: Date }>({ text: 'select transaction_timestamp() as at' }),
    signal,
  );
  const mtime = snapshotTime?.at as Date;
  const entry = { mtime, compressionLevel: COMPRESSION_LEVEL };
  const files: ExportFile[] = [];
  for (const source of sourcesOf(order)) {
    const send = (rows: Readable, frame: Frame) => {
      zip.addReadStream(frame, `${source.name}.${order.format}`, entry);
      return pipeline(rows, frame, { signal });
    };
    files.push(await copyFile(writing, source, { signal, before: countRows(files), send }));
  }
  if (order.resource === 'all') {
    const manifest = { tenant_id: order.tenantId, snapshot_at: mtime, format: order.format, files };
    zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'manifest.json', entry);
  }
  zip.end();
  return files;
}

function countRows(files: readonly ExportFile[]): number {
  return files.reduce((rows, file) => rows + file.rows, 0);
}
