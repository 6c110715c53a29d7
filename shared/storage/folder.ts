import type { Dirent } from 'node:fs';
import { open, opendir, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { getErrorCode } from '../platform/errors.js';
import { isPartFile, isPartFileOf, toFolderStorageError } from './folder-files.js';
import { startFileUpload } from './folder-upload.js';
import { assertKey, assertRangeWithin, type ByteRange, isKey, type Storage, type Upload } from './storage.js';

/**
 * Stores objects as files in a folder that only the owner can enter. If processes run on several
 * machines, they need a folder that all of them share, or S3.
 */
export class FolderStorage implements Storage {
  /** @param root absolute path; created on first use */
  constructor(private readonly root: string) {}

  /**
   * Ignores the metadata, because a file has no content type or download name. The API adds both to
   * a download.
   */
  async create(key: string): Promise<Upload> {
    const path = this.pathOf(key);
    return withStorageErrors(() => startFileUpload(path, () => this.removeEmptyFolders(dirname(path))));
  }

  async open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    const path = this.pathOf(key);
    const handle = await withStorageErrors(() => undefinedIfMissing(open(path, 'r')));
    if (!handle) return undefined;
    try {
      const file = await handle.stat();
      if (!file.isFile()) {
        await handle.close();
        return undefined;
      }
      if (range) assertRangeWithin(range, file.size);
      // The stream closes the file when it ends or is destroyed.
      return { stream: handle.createReadStream(range ?? {}), size: file.size };
    } catch (error) {
      await handle.close();
      throw toFolderStorageError(error);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    await withStorageErrors(async () => {
      await undefinedIfMissing(unlink(path));
      await this.removeEmptyFolders(dirname(path));
    });
  }

  async discardUploads(key: string): Promise<void> {
    const path = this.pathOf(key);
    const folder = dirname(path);
    await withStorageErrors(async () => {
      const names = (await undefinedIfMissing(readdir(folder))) ?? [];
      for (const name of names)
        if (isPartFileOf(name, basename(path))) await undefinedIfMissing(unlink(join(folder, name)));
      if (names.length > 0) await this.removeEmptyFolders(folder);
    });
  }

  async createLink(): Promise<undefined> {
    return undefined;
  }

  async discardStaleUploads(olderThan: Date): Promise<number> {
    return withStorageErrors(async () => {
      let removed = 0;
      for await (const { path, name } of walk(this.root)) {
        // Each write renews the modification time of a part file, so a running upload is not stale.
        const file = isPartFile(name) ? await undefinedIfMissing(stat(path)) : undefined;
        if (!file || file.mtime >= olderThan) continue;
        await undefinedIfMissing(unlink(path));
        await this.removeEmptyFolders(dirname(path));
        removed += 1;
      }
      return removed;
    });
  }

  async *list(folder: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
    if (folder !== '') assertKey(folder);
    for await (const { path } of walk(join(this.root, folder))) {
      const key = relative(this.root, path).replaceAll('\\', '/');
      const file = isKey(key) ? await undefinedIfMissing(stat(path)) : undefined;
      if (file) yield { key, modifiedAt: file.mtime };
    }
  }

  private pathOf(key: string): string {
    assertKey(key);
    return join(this.root, key);
  }

  private async removeEmptyFolders(folder: string): Promise<void> {
    for (let path = folder; path.startsWith(this.root) && path !== this.root; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        // The folder is not empty, or another process has already removed it.
        if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(getErrorCode(error))) return;
        throw error;
      }
    }
  }
}

/**
 * Yields all files below a folder. A folder that does not exist, or disappears during the walk,
 * counts as empty.
 */
async function* walk(folder: string): AsyncGenerator<{ path: string; name: string }> {
  const entries: Dirent[] = [];
  const dir = await undefinedIfMissing(opendir(folder)).catch((error: unknown) => {
    throw toFolderStorageError(error);
  });
  if (!dir) return;
  for await (const entry of dir) entries.push(entry);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Skip `lost+found`, which some file systems keep in their root folder and only root can read.
    if (entry.name === 'lost+found') continue;
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield { path, name: entry.name };
  }
}

async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function withStorageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFolderStorageError(error);
  }
}
