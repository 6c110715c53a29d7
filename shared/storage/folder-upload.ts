import { type FileHandle, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../platform/files/sync-folder.js';
import { openPartFile, toFolderStorageError } from './folder-files.js';
import type { Upload } from './storage.js';
import { StreamUpload } from './stream-upload.js';

/**
 * Starts an upload into a part file, which `commit` renames to `path`.
 * @param afterwards is called after an upload was discarded
 */
export async function startFileUpload(path: string, afterwards: () => Promise<void>): Promise<Upload> {
  return new FileUpload(path, await openPartFile(path), afterwards);
}

class FileUpload extends StreamUpload {
  readonly #handle: FileHandle;
  readonly #part: string;

  constructor(
    private readonly path: string,
    { handle, part }: { handle: FileHandle; part: string },
    private readonly afterwards: () => Promise<void>,
  ) {
    super();
    this.#handle = handle;
    this.#part = part;
  }

  protected async storeChunk(chunk: Buffer): Promise<void> {
    try {
      for (let offset = 0; offset < chunk.length; ) {
        const { bytesWritten } = await this.#handle.write(chunk, offset);
        offset += bytesWritten;
      }
    } catch (error) {
      throw toFolderStorageError(error);
    }
  }

  protected async createObject(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#part, this.path);
      await syncFolder(dirname(this.path));
    } catch (error) {
      throw toFolderStorageError(error);
    }
  }

  protected async discard(): Promise<void> {
    // close() waits for the running write. A second close() is allowed.
    await this.#handle.close();
    await rm(this.#part, { force: true });
    await this.afterwards();
  }
}
