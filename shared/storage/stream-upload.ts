import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Upload } from './storage.js';

/**
 * Hashes and counts the bytes of an object before a subclass stores them. `abort` discards the
 * upload, and so does a failed or destroyed stream.
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
        // A stream that received all its bytes is destroyed too, but those bytes are still needed.
        // `commit` and `abort` wait for the discard.
        if (error || !stream.writableFinished) this.#discardOnce().catch(() => undefined);
        done(error);
      },
    });
    // `commit` and the pipeline report the error. Without a listener, it would end the process.
    stream.on('error', () => undefined);
    this.stream = stream;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The stream stores one chunk at a time. */
  protected abstract storeChunk(chunk: Buffer): Promise<void>;
  protected abstract createObject(): Promise<void>;
  /**
   * Deletes the stored bytes, even while a write is running. Called at most once, and never after
   * `createObject` has resolved.
   */
  protected abstract discard(): Promise<void>;

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isFinished) throw new Error('this upload is already committed or aborted');
    this.#isFinished = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      // Rejects with the error that interrupted the stream, which may come from the writer.
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
