import { randomBytes } from 'node:crypto';
import { chown, type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getErrorCode } from '../platform/errors.js';
import { isRoot } from '../platform/files/is-root.js';
import { syncFolder } from '../platform/files/sync-folder.js';
import { StorageError, type StorageFailureCode } from './storage.js';

const PART_PREFIX = '.part-';

/**
 * True for the name of a part file, which contains an unfinished upload. No object has such a name,
 * because no segment of a key starts with a dot.
 */
export function isPartFile(name: string): boolean {
  return name.startsWith(PART_PREFIX);
}

export function isPartFileOf(name: string, file: string): boolean {
  const prefix = partFilePrefix(file);
  return name.startsWith(prefix) && RANDOM_SUFFIX.test(name.slice(prefix.length));
}

const RANDOM_SUFFIX = /^[0-9a-f]{12}$/;

function partFilePrefix(file: string): string {
  return `${PART_PREFIX}${file}-`;
}

const FAILURE_BY_ERRNO: Record<string, StorageFailureCode> = {
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

/** Converts an error of the file system to a StorageError. Returns any other error unchanged. */
export function toFolderStorageError(error: unknown): unknown {
  if (error instanceof StorageError) return error;
  // Errors of file-system calls have a `syscall` member. Other errors may have the same codes.
  const fault =
    error instanceof Error && 'syscall' in error ? FAILURE_BY_ERRNO[getErrorCode(error)] : undefined;
  return fault ? new StorageError(fault, error) : error;
}

/**
 * Maximum attempts to create the folder and a file in it. Another process may remove the folder
 * while it is still empty.
 */
const MAX_ATTEMPTS = 5;

export async function openPartFile(path: string): Promise<{ handle: FileHandle; part: string }> {
  const folder = dirname(path);
  const part = join(folder, `${partFilePrefix(basename(path))}${randomBytes(6).toString('hex')}`);
  for (let attempt = 1; ; attempt++) {
    try {
      await createFolder(folder);
      return { handle: await openWithParentOwner(part), part };
    } catch (error) {
      if (getErrorCode(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function openWithParentOwner(part: string): Promise<FileHandle> {
  const handle = await open(part, 'wx', 0o600);
  try {
    await copyParentOwner(part);
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  }
  return handle;
}

/**
 * Creates a folder and its missing parents, which only the owner can enter. Syncs the parent of
 * each new folder, so that the new folder survives a power failure.
 */
async function createFolder(folder: string): Promise<void> {
  const firstCreated = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstCreated === undefined) return;
  const created = [folder];
  while (created[0] !== firstCreated && created.length < 100) created.unshift(dirname(created[0] as string));
  for (const path of created) {
    await copyParentOwner(path);
    await syncFolder(dirname(path));
  }
}

/**
 * If this process runs as root, gives a new file or folder to the owner of its parent. Otherwise,
 * the ordinary user who owns the parent could not access it.
 */
async function copyParentOwner(path: string): Promise<void> {
  if (!isRoot()) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}
