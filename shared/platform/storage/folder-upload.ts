import { createHash } from 'node:crypto';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { folderFault, openPart, syncFolder } from './folder-files.js';
import type { Upload } from './storage.js';

/** Begins a file that gets its name when it is whole. @param afterwards runs when it was given up */
export async function beginFile(path: string, afterwards: () => Promise<void>): Promise<Upload> {
  return new FileUpload(path, await openPart(path), afterwards);
}

class FileUpload implements Upload {
  readonly stream: Writable;
  readonly #handle: FileHandle;
  readonly #part: string;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isSettled = false;
  #discarding: Promise<void> | undefined;

  constructor(
    private readonly path: string,
    { handle, part }: { handle: FileHandle; part: string },
    private readonly afterwards: () => Promise<void>,
  ) {
    this.#handle = handle;
    this.#part = part;
    const stream: Writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#write(chunk).then(() => done(), done);
      },
      destroy: (error, done) => {
        // A stream that has all its bytes is destroyed as well; its part is still wanted.
        if (!error && stream.writableFinished) return done(null);
        this.#discard().then(
          () => done(error),
          (fault: Error) => done(error ?? fault),
        );
      },
    });
    // Told by commit and by whoever pipes; without a listener it would end the process.
    stream.on('error', () => undefined);
    this.stream = stream;
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    try {
      for (let at = 0; at < chunk.length; ) {
        const { bytesWritten } = await this.#handle.write(chunk, at);
        at += bytesWritten;
      }
    } catch (error) {
      throw folderFault(error);
    }
    this.#bytes += chunk.length;
  }

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isSettled) throw new Error('this upload has been committed or aborted');
    this.#isSettled = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      await finished(this.stream);
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#part, this.path);
      await syncFolder(dirname(this.path));
    } catch (error) {
      await this.#discard();
      throw folderFault(error);
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async abort(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.stream.destroy();
    await this.#discard();
  }

  #discard(): Promise<void> {
    this.#discarding ??= (async () => {
      // Waits for the write that is under way. What was closed already may be closed again.
      await this.#handle.close();
      await rm(this.#part, { force: true });
      await this.afterwards();
    })();
    return this.#discarding;
  }
}
