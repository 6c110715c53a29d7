import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { causeOf } from '../api-client.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { ExportRecord } from './export-record.js';

/** Times that a download goes on where it broke off. */
const MAX_RESUMES = 5;
const RESUME_AFTER_MS = 1000;

export interface Download {
  record: ExportRecord;
  /** Links live for minutes. */
  freshLink: () => Promise<string | null>;
  /** @param bytes that are here so far */
  onProgress: (bytes: number) => void;
}

/**
 * Fetches the file of a completed export: beside its place until it is whole and has the SHA-256 that the API tells, and resumed where it breaks off. What is gzip'd is
 * unpacked, unless the path ends in .gz too.
 * @throws {CliError} and leaves nothing
 */
export async function download(path: string, { record, freshLink, onProgress }: Download): Promise<void> {
  const part = `${path}.part`;
  const whole = `${path}.whole`;
  await rm(part, { force: true });
  try {
    let link = record.download_url;
    for (
      let resumes = 0;
      !(await fetchRest(part, { link, onProgress, size: record.bytes as number }));
      resumes += 1
    ) {
      if (resumes === MAX_RESUMES)
        throw new CliError('download_failed', 'The download broke off again and again.', EXIT.unreachable);
      await pause(RESUME_AFTER_MS);
      link = await freshLink();
    }
    if ((await sha256Of(part)) !== record.sha256)
      throw new CliError(
        'download_damaged',
        'What was downloaded is not what was exported. Try again.',
        EXIT.failed,
      );
    if (!record.file_name?.endsWith('.gz') || path.endsWith('.gz')) return await rename(part, path);
    await pipeline(createReadStream(part), createGunzip(), createWriteStream(whole));
    await rename(whole, path);
  } finally {
    for (const left of [part, whole]) await rm(left, { force: true });
  }
}

/** Appends what is missing. Resolves with whether all is there; false: it broke off. */
async function fetchRest(
  part: string,
  { link, size, onProgress }: { link: string | null; size: number; onProgress: (bytes: number) => void },
): Promise<boolean> {
  const have = await sizeOf(part);
  if (have === size) return true;
  if (!link) throw new CliError('download_failed', 'The export has no file any more.', EXIT.failed);
  try {
    const response = await fetch(link, have > 0 ? { headers: { range: `bytes=${have}-` } } : {});
    if (!response.ok || !response.body) {
      if (response.status < 500) throw refusal(response.status);
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
    if (error instanceof CliError || isOwnDisk(error)) throw error;
    return false;
  }
}

function refusal(status: number): CliError {
  return new CliError('download_failed', `The storage answers ${status} to the download link.`, EXIT.failed);
}

/** The folder is not there, or has no room: to try again does not help. */
function isOwnDisk(error: unknown): boolean {
  return ['ENOENT', 'ENOSPC', 'EACCES', 'EROFS', 'EISDIR', 'EDQUOT'].includes(causeOf(error));
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
