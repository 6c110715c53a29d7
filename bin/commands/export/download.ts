import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { describeCause } from '../../cli/api-client.js';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import type { ExportRecord } from './export-record.js';

/** An interrupted download is resumed at most this many times. */
const MAX_RESUMES = 5;
const RESUME_AFTER_MS = 1000;

export interface DownloadOptions {
  record: ExportRecord;
  /** Resolves with a new download link, because a link is valid only for minutes. */
  refreshLink: () => Promise<string | null>;
  /** @param bytes how many bytes have been downloaded so far */
  onProgress: (bytes: number) => void;
}

/**
 * Downloads the file of a completed export. Writes to `<path>.part` until the file is complete and
 * its SHA-256 matches the one in `record`. Resumes an interrupted download. Unpacks a gzip file
 * unless `path` ends in .gz. After a failure, deletes the partial files.
 * @throws {CliError} if the download fails; the file system's error if the file cannot be written
 */
export async function downloadExport(
  path: string,
  { record, refreshLink, onProgress }: DownloadOptions,
): Promise<void> {
  const part = `${path}.part`;
  const unpacked = `${path}.whole`;
  await rm(part, { force: true });
  try {
    let link = record.download_url;
    for (
      let resumes = 0;
      !(await fetchRest(part, { link, onProgress, size: record.bytes as number }));
      resumes += 1
    ) {
      if (resumes === MAX_RESUMES)
        throw new CliError(
          'download_failed',
          'The download was interrupted too many times.',
          EXIT.unreachable,
        );
      await pause(RESUME_AFTER_MS);
      link = await refreshLink();
    }
    if ((await hashFile(part)) !== record.sha256)
      throw new CliError(
        'download_damaged',
        'The downloaded file is damaged: its SHA-256 differs from that of the export. Try again.',
        EXIT.failed,
      );
    if (!record.file_name?.endsWith('.gz') || path.endsWith('.gz')) return await rename(part, path);
    await pipeline(createReadStream(part), createGunzip(), createWriteStream(unpacked));
    await rename(unpacked, path);
  } finally {
    for (const left of [part, unpacked]) await rm(left, { force: true });
  }
}

/**
 * Appends the missing bytes to `part`. Starts over if the storage ignores the request for a range
 * of bytes. Resolves with false if the caller should try again.
 */
async function fetchRest(
  part: string,
  { link, size, onProgress }: { link: string | null; size: number; onProgress: (bytes: number) => void },
): Promise<boolean> {
  const have = await fileSize(part);
  if (have === size) return true;
  if (!link) throw new CliError('download_failed', 'The export no longer has a file.', EXIT.failed);
  try {
    const response = await fetch(link, have > 0 ? { headers: { range: `bytes=${have}-` } } : {});
    if (!response.ok || !response.body) {
      if (response.status < 500) throw toRefusedError(response.status);
      return false;
    }
    const resumed = response.status === 206;
    let here = resumed ? have : 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        here += chunk.length;
        onProgress(here);
        yield chunk;
      }
    };
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await pipeline(body, counted, createWriteStream(part, { flags: resumed ? 'a' : 'w' }));
    return here === size;
  } catch (error) {
    if (error instanceof CliError || isLocalDiskError(error)) throw error;
    return false;
  }
}

function toRefusedError(status: number): CliError {
  return new CliError('download_failed', `The storage answered ${status} to the download link.`, EXIT.failed);
}

/** True if the target folder is missing, read-only or full, so that a retry does not help. */
function isLocalDiskError(error: unknown): boolean {
  return ['ENOENT', 'ENOSPC', 'EACCES', 'EROFS', 'EISDIR', 'EDQUOT'].includes(describeCause(error));
}

async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
