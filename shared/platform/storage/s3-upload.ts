import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Bucket, s3Fault } from './s3-bucket.js';
import type { ObjectAbout, Upload } from './storage.js';

/** S3 takes 10,000 parts: an object has 78 GiB at most. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts in memory at once are these and the one that is being filled. */
const PARTS_AT_ONCE = 2;

interface BeginOptions extends ObjectAbout {
  /** With the prefix. */
  key: string;
  whenDone: () => void;
}

/** Begins an object: parts of it are sent as they fill, and S3 shows nothing before the last word. */
export async function beginObject(bucket: Bucket, options: BeginOptions): Promise<Upload> {
  const { Upload: Multipart } = await import('@aws-sdk/lib-storage');
  const body = new PassThrough({ highWaterMark: 1024 * 1024 });
  const multipart = new Multipart({
    client: bucket.client,
    params: {
      Bucket: bucket.name,
      Key: options.key,
      Body: body,
      ContentType: options.contentType,
    },
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
    leavePartsOnError: false,
  });
  return new ObjectUpload(body, multipart.done().finally(options.whenDone));
}

class GivenUp extends Error {}

class ObjectUpload implements Upload {
  readonly stream: Writable;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isSettled = false;

  /**
   * @param body what is sent; it ends with `commit` alone, since S3 makes an object of whatever ends
   * @param sent rejects only after the parts were taken back, as far as S3 could be reached
   */
  constructor(
    private readonly body: PassThrough,
    private readonly sent: Promise<unknown>,
  ) {
    this.stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        if (body.write(chunk)) done();
        else body.once('drain', done);
      },
      destroy: (error, done) => {
        if (error || !this.stream.writableFinished)
          body.destroy(error ?? new GivenUp('the upload was given up'));
        done(error);
      },
    });
    // Told by commit and by whoever pipes; without a listener either would end the process.
    this.stream.on('error', () => undefined);
    body.on('error', () => undefined);
    sent.catch((error: unknown) => {
      this.stream.destroy(s3Fault(error) as Error);
    });
  }

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isSettled) throw new Error('this upload has been committed or aborted');
    this.#isSettled = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      // Rejects with what cut it short, which may be an error of whoever writes: not ours to translate.
      await finished(this.stream);
      this.body.end();
      await this.sent.catch((error: unknown) => {
        throw s3Fault(error);
      });
    } catch (error) {
      await this.#discard();
      throw error;
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async abort(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.stream.destroy();
    await this.#discard();
  }

  /** Ends what is sent, and waits until S3 has forgotten the parts or cannot be reached; a sweep finds those. */
  async #discard(): Promise<void> {
    this.body.destroy(new GivenUp('the upload was given up'));
    await this.sent.catch(() => undefined);
    if (!this.body.closed) await once(this.body, 'close');
  }
}
