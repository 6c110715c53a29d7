import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Upload } from './storage.js';

/**
 * Hashes and counts the bytes of an object before a subclass stores them. A call of `abort`, or a
 * stream that fails or is destroyed, discards the upload.
 */
export abstract class StreamUpload implements Upload {
  readonly stream: Writable;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isFinished = false;
  #discarding: Promise<void> | undefined;

  constructor() {
    const stream: Writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        this.storeChunk(chunk).then(() => done(), done);
      },
      destroy: (error, done) => {
        // Discard the upload after an error or an early end. Node also destroys a stream that
        // received all its bytes, but `commit` still needs those. Ignore errors of the discard
        // here: `commit` and `abort` await the same discard and report them.
        if (error || !stream.writableFinished) this.#discardOnce().catch(() => undefined);
        done(error);
      },
    });
    // Without a listener, an error would end the process. `commit` reports the error.
    stream.on('error', () => undefined);
    this.stream = stream;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Stores the next bytes. Never called while an earlier call is still running. */
  protected abstract storeChunk(chunk: Buffer): Promise<void>;
  protected abstract createObject(): Promise<void>;
  /**
   * Deletes the stored bytes, even while `storeChunk` is running. Called at most once, and never
   * after `createObject` has resolved.
   */
  protected abstract discard(): Promise<void>;

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isFinished) throw new Error('this upload is already committed or aborted');
    this.#isFinished = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      // Rejects with the error that interrupted the stream, for example an error of the code that
      // writes to it.
      await finished(this.stream);
      await this.createObject();
    } catch (error) {
      await this.#discardOnce();
      throw error;
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async abort(): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.stream.destroy();
    await this.#discardOnce();
  }

  #discardOnce(): Promise<void> {
    this.#discarding ??= this.discard();
    return this.#discarding;
  }
}
