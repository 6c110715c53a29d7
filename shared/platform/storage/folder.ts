import type { Dirent } from 'node:fs';
import { open, opendir, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { errorCodeOf } from '../errors.js';
import { folderFault, isPart, isPartOf } from './folder-files.js';
import { beginFile } from './folder-upload.js';
import { assertKey, assertWithin, type ByteRange, isKey, type Storage, type Upload } from './storage.js';

/** Objects as files of a folder that only its owner enters. Processes on several machines need one that they share, or S3. */
export class FolderStorage implements Storage {
  /** @param root absolute; made when it is first needed */
  constructor(private readonly root: string) {}

  /** A file keeps nothing of `about`: whoever serves it knows. */
  async create(key: string): Promise<Upload> {
    const path = this.pathOf(key);
    return translated(() => beginFile(path, () => this.prune(dirname(path))));
  }

  async open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    const path = this.pathOf(key);
    const handle = await translated(() => orUndefined(open(path, 'r')));
    if (!handle) return undefined;
    try {
      const file = await handle.stat();
      if (!file.isFile()) {
        await handle.close();
        return undefined;
      }
      if (range) assertWithin(range, file.size);
      // The stream closes the file at its end, and when it is destroyed.
      return { stream: handle.createReadStream(range ?? {}), size: file.size };
    } catch (error) {
      await handle.close();
      throw folderFault(error);
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.pathOf(key);
    await translated(async () => {
      await orUndefined(unlink(path));
      await this.prune(dirname(path));
    });
  }

  async abandon(key: string): Promise<void> {
    const path = this.pathOf(key);
    const folder = dirname(path);
    await translated(async () => {
      const names = (await orUndefined(readdir(folder))) ?? [];
      for (const name of names)
        if (isPartOf(name, basename(path))) await orUndefined(unlink(join(folder, name)));
      if (names.length > 0) await this.prune(folder);
    });
  }

  async link(): Promise<undefined> {
    return undefined;
  }

  async sweep(olderThan: Date): Promise<number> {
    return translated(async () => {
      let removed = 0;
      for await (const { path, name } of walk(this.root)) {
        // Every write to a part makes it new again.
        const file = isPart(name) ? await orUndefined(stat(path)) : undefined;
        if (!file || file.mtime >= olderThan) continue;
        await orUndefined(unlink(path));
        await this.prune(dirname(path));
        removed += 1;
      }
      return removed;
    });
  }

  async *list(folder: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
    if (folder !== '') assertKey(folder);
    for await (const { path } of walk(join(this.root, folder))) {
      const key = relative(this.root, path).replaceAll('\\', '/');
      const file = isKey(key) ? await orUndefined(stat(path)) : undefined;
      if (file) yield { key, modifiedAt: file.mtime };
    }
  }

  private pathOf(key: string): string {
    assertKey(key);
    return join(this.root, key);
  }

  /** Removes a folder that has become empty, and those around it. */
  private async prune(folder: string): Promise<void> {
    for (let path = folder; path.startsWith(this.root) && path !== this.root; path = dirname(path)) {
      try {
        await rmdir(path);
      } catch (error) {
        // In use, or somebody else was faster.
        if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCodeOf(error))) return;
        throw error;
      }
    }
  }
}

/** Every file below a folder; what vanishes meanwhile is left out. */
async function* walk(folder: string): AsyncGenerator<{ path: string; name: string }> {
  const entries: Dirent[] = [];
  const dir = await orUndefined(opendir(folder)).catch((error: unknown) => {
    throw folderFault(error);
  });
  if (!dir) return;
  for await (const entry of dir) entries.push(entry);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    // Of a disk's root: not ours, and not to be entered.
    if (entry.name === 'lost+found') continue;
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield { path, name: entry.name };
  }
}

/** Undefined instead of an error for what is not there. */
async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw folderFault(error);
  }
}
