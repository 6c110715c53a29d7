import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Upload } from './storage.js';

/**
 * What an object's bytes pass through, whatever takes them: they are hashed and counted, become an object with `commit` alone, and are given up when the
 * stream breaks, is destroyed, or with `abort`.
 */
export abstract class StreamUpload implements Upload {
  readonly stream: Writable;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isSettled = false;
  #discarding: Promise<void> | undefined;

  constructor() {
    const stream: Writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        this.take(chunk).then(() => done(), done);
      },
      destroy: (error, done) => {
        // A stream that has all its bytes is destroyed as well; they are still wanted. Whoever commits or aborts waits for the rest.
        if (error || !stream.writableFinished) this.#giveUp().catch(() => undefined);
        done(error);
      },
    });
    // Told by commit and by whoever pipes; without a listener it would end the process.
    stream.on('error', () => undefined);
    this.stream = stream;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Stores the next bytes; not called again before it resolves. */
  protected abstract take(chunk: Buffer): Promise<void>;
  /** Makes the object of all that was taken. */
  protected abstract finish(): Promise<void>;
  /** Removes what was taken, also while some of it is on its way. Called once at most, and never after `finish` has resolved. */
  protected abstract discard(): Promise<void>;

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isSettled) throw new Error('this upload has been committed or aborted');
    this.#isSettled = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      // Rejects with what cut it short, which may be an error of whoever writes.
      await finished(this.stream);
      await this.finish();
    } catch (error) {
      await this.#giveUp();
      throw error;
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async abort(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.stream.destroy();
    await this.#giveUp();
  }

  #giveUp(): Promise<void> {
    this.#discarding ??= this.discard();
    return this.#discarding;
  }
}
