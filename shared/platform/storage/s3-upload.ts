import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Bucket, s3Fault } from './s3-bucket.js';
import { type ObjectToBe, Parts } from './s3-parts.js';
import type { Upload } from './storage.js';

/** S3 takes 10,000 parts: an object has 78 GiB at most. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts under way at once; one more is being filled meanwhile. */
const PARTS_AT_ONCE = 2;
/** Buffers kept for the next upload: those of two at once. */
const MAX_SPARE = 2 * (PARTS_AT_ONCE + 1);

interface BeginOptions extends ObjectToBe {
  whenDone: () => void;
}

/** Begins an object: parts of it are sent as they fill, and S3 shows nothing before the last word. */
export function beginObject(bucket: Bucket, options: BeginOptions): Upload {
  return new ObjectUpload(bucket, options);
}

/**
 * The bytes are copied into three buffers that are used again and again, by the next upload too. With a new one for each part, as the SDK's lib-storage
 * makes them, V8 is in no hurry to collect what lies outside of its heap: 960 MB went through 1.2 GB of memory.
 */
class ObjectUpload implements Upload {
  readonly stream: Writable;
  readonly #hash = createHash('sha256');
  readonly #parts: Parts;
  readonly #underWay = new Set<Promise<void>>();
  #part: Buffer = Buffer.alloc(0);
  #filled = 0;
  #bytes = 0;
  #isSettled = false;
  #discarding: Promise<void> | undefined;

  constructor(
    private readonly bucket: Bucket,
    private readonly options: BeginOptions,
  ) {
    this.#parts = new Parts(bucket, options);
    const stream: Writable = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#take(chunk).then(() => done(), done);
      },
      destroy: (error, done) => {
        // A stream that has all its bytes is destroyed as well; its parts are still wanted.
        if (error || !stream.writableFinished) void this.#discard();
        done(error);
      },
    });
    // Told by commit and by whoever pipes; without a listener it would end the process.
    stream.on('error', () => undefined);
    this.stream = stream;
  }

  async #take(chunk: Buffer): Promise<void> {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    for (let at = 0; at < chunk.length; ) {
      // Not before there is more: whatever fits into one part becomes an object by one request.
      if (this.#filled === this.#part.length) await this.#nextPart();
      const copied = chunk.copy(this.#part, this.#filled, at);
      this.#filled += copied;
      at += copied;
    }
  }

  async #nextPart(): Promise<void> {
    if (this.#filled > 0) {
      if (this.#underWay.size === PARTS_AT_ONCE) await Promise.race(this.#underWay);
      this.#sendPart();
    }
    this.#part = this.bucket.spareParts.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES);
    this.#filled = 0;
  }

  #sendPart(): void {
    const body = this.#part;
    const sent = this.#parts.send(body.subarray(0, this.#filled)).then(
      () => {
        this.#underWay.delete(sent);
        this.#release(body);
      },
      (error: unknown) => {
        const fault = s3Fault(error);
        // Whoever writes learns of it at once, and not at the end of a long export.
        this.stream.destroy(fault as Error);
        throw fault;
      },
    );
    sent.catch(() => undefined);
    this.#underWay.add(sent);
  }

  async commit(): Promise<{ bytes: number; sha256: string }> {
    if (this.#isSettled) throw new Error('this upload has been committed or aborted');
    this.#isSettled = true;
    try {
      if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.end();
      // Rejects with what cut it short, which may be an error of whoever writes: not ours to translate.
      await finished(this.stream);
      await this.#finish().catch((error: unknown) => {
        throw s3Fault(error);
      });
    } catch (error) {
      await this.#discard();
      throw error;
    }
    this.options.whenDone();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async #finish(): Promise<void> {
    if (this.#parts.count > 0) {
      this.#sendPart();
      return this.#parts.complete();
    }
    const { sdk, client, name: Bucket } = this.bucket;
    const { key: Key, contentType: ContentType } = this.options;
    const Body = this.#part.subarray(0, this.#filled);
    await client.send(new sdk.PutObjectCommand({ Bucket, Key, ContentType, Body }));
    this.#release(this.#part);
  }

  /** Of what fails nothing comes back: a request that was cut short may hold it still. */
  #release(part: Buffer): void {
    if (part.length === PART_BYTES && this.bucket.spareParts.length < MAX_SPARE)
      this.bucket.spareParts.push(part);
  }

  async abort(): Promise<void> {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.stream.destroy();
    await this.#discard();
  }

  #discard(): Promise<void> {
    this.#discarding ??= this.#parts.forget().finally(this.options.whenDone);
    return this.#discarding;
  }
}
