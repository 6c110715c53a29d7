import { randomBytes } from 'node:crypto';
import { chown, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRoot } from '../embedded-postgres/account.js';
import { errorCodeOf } from '../errors.js';
import { syncFolder } from '../sync-folder.js';
import { StorageError, type StorageFault } from './storage.js';

const PART = '.part-';

/** No key leads to such a name. */
export function isPart(name: string): boolean {
  return name.startsWith(PART);
}

/** Whether a name is that of a part of this file. */
export function isPartOf(name: string, file: string): boolean {
  const begin = partsBegin(file);
  return name.startsWith(begin) && RANDOM.test(name.slice(begin.length));
}

const RANDOM = /^[0-9a-f]{12}$/;

function partsBegin(file: string): string {
  return `${PART}${file}-`;
}

const FAULTS: Record<string, StorageFault> = {
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
  EACCES: 'storage_refused',
  EPERM: 'storage_refused',
  EROFS: 'storage_refused',
  ENOTDIR: 'storage_refused',
  EISDIR: 'storage_refused',
  ENAMETOOLONG: 'storage_refused',
  ENOENT: 'storage_unavailable',
  EIO: 'storage_unavailable',
  ESTALE: 'storage_unavailable',
  EMFILE: 'storage_unavailable',
  ENFILE: 'storage_unavailable',
  ETIMEDOUT: 'storage_unavailable',
};

/** An error of the file system as one of storage; any other stays what it is. */
export function folderFault(error: unknown): unknown {
  if (error instanceof StorageError) return error;
  // Sockets have ETIMEDOUT as well; only calls of the system name themselves.
  const fault = error instanceof Error && 'syscall' in error ? FAULTS[errorCodeOf(error)] : undefined;
  return fault ? new StorageError(fault, error) : error;
}

/** Another process may remove a folder as empty just before something is put there. */
const TRIES = 5;

/** Opens a new part for a file, beside it, in a folder that is made when it is missing. */
export async function openPart(path: string): Promise<{ handle: FileHandle; part: string }> {
  const folder = dirname(path);
  const part = join(folder, `${partsBegin(basename(path))}${randomBytes(6).toString('hex')}`);
  for (let tries = 1; ; tries++) {
    try {
      await makeFolder(folder);
      return { handle: await openOwned(part), part };
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT' || tries === TRIES) throw error;
    }
  }
}

async function openOwned(part: string): Promise<FileHandle> {
  const handle = await open(part, 'wx', 0o600);
  try {
    await keepOwner(part);
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
  return handle;
}

/** Makes a folder that only its owner enters, and those around it, so that they outlive a power cut. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const made = [folder];
  while (made[0] !== first && made.length < 100) made.unshift(dirname(made[0] as string));
  for (const path of made) {
    await keepOwner(path);
    await syncFolder(dirname(path));
  }
}

/** Root working in an ordinary user's folder must not lock that user out of what it makes there. */
async function keepOwner(path: string): Promise<void> {
  if (!isRoot()) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}
