import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { ExportFile, ExportSummary } from '../../../shared/resources/exports/request/export-request.js';
import { type CopyContext, copyFile } from './copy-file.js';
import { COMPRESSION_LEVEL, type FileStream } from './file-streams.js';
import { rejectOnAbort, runConcurrently } from './run-concurrently.js';
import { listFileSources } from './sources.js';

/**
 * Writes the files of an export one after another into a zip. For the resource `all`, adds
 * `manifest.json` as the last file.
 */
export async function writeZip(
  writing: CopyContext,
  sink: Writable,
  signal: AbortSignal | undefined,
): Promise<ExportSummary> {
  const zip = new ZipFile();
  const files = await runConcurrently(signal, (combined) => [
    addFiles(writing, zip, combined),
    pipeline(zip.outputStream, sink, { signal: combined }),
  ]);
  return { rows: countRows(files), files };
}

async function addFiles(writing: CopyContext, zip: ZipFile, signal: AbortSignal): Promise<ExportFile[]> {
  const { snapshot, request } = writing;
  const [snapshotTime] = await rejectOnAbort(
    snapshot.query<{ at: Date }>({ text: 'select transaction_timestamp() as at' }),
    signal,
  );
  const mtime = snapshotTime?.at as Date;
  const entry = { mtime, compressionLevel: COMPRESSION_LEVEL };
  const files: ExportFile[] = [];
  for (const source of listFileSources(request)) {
    const pipeRows = (rows: Readable, frame: FileStream) => {
      zip.addReadStream(frame, `${source.name}.${request.format}`, entry);
      return pipeline(rows, frame, { signal });
    };
    files.push(await copyFile(writing, source, { signal, earlierRows: countRows(files), pipeRows }));
  }
  if (request.resource === 'all') {
    const manifest = { tenant_id: request.tenantId, snapshot_at: mtime, format: request.format, files };
    zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'manifest.json', entry);
  }
  zip.end();
  return files;
}

function countRows(files: readonly ExportFile[]): number {
  return files.reduce((rows, file) => rows + file.rows, 0);
}
