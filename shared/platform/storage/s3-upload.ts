import { type Bucket, s3Fault } from './s3-bucket.js';
import { type ObjectToBe, Parts } from './s3-parts.js';
import type { Upload } from './storage.js';
import { StreamUpload } from './stream-upload.js';

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
class ObjectUpload extends StreamUpload {
  readonly #parts: Parts;
  readonly #underWay = new Set<Promise<void>>();
  #part: Buffer = Buffer.alloc(0);
  #filled = 0;

  constructor(
    private readonly bucket: Bucket,
    private readonly options: BeginOptions,
  ) {
    super();
    this.#parts = new Parts(bucket, options);
  }

  protected async take(chunk: Buffer): Promise<void> {
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

  protected async finish(): Promise<void> {
    try {
      if (this.#parts.count > 0) await this.#completeParts();
      else await this.#putWhole();
    } catch (error) {
      throw s3Fault(error);
    }
    this.options.whenDone();
  }

  #completeParts(): Promise<void> {
    this.#sendPart();
    return this.#parts.complete();
  }

  async #putWhole(): Promise<void> {
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

  protected discard(): Promise<void> {
    return this.#parts.forget().finally(this.options.whenDone);
  }
}
