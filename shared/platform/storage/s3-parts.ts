import type { CompletedPart } from '@aws-sdk/client-s3';
import type { Bucket } from './s3-bucket.js';

/** S3's own limit (docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 10_000;

/** What is made in a bucket. */
export interface ObjectToBe {
  /** With the prefix. */
  key: string;
  contentType: string;
}

/**
 * One multipart upload: begun with its first part, an object with its last word, and forgotten by S3 when it is given up. A body belongs to the request
 * that sends it until its promise settles; what is rejected is the SDK's own error.
 */
export class Parts {
  readonly #sent: Promise<CompletedPart>[] = [];
  readonly #abandon = new AbortController();
  #uploadId: Promise<string> | undefined;

  constructor(
    private readonly bucket: Bucket,
    private readonly object: ObjectToBe,
  ) {}

  get count(): number {
    return this.#sent.length;
  }

  /** Sends the next part: 5 MiB at least, unless it is the last. */
  async send(body: Buffer): Promise<void> {
    const sent = this.#sendAs(this.#sent.length + 1, body);
    this.#sent.push(sent);
    await sent;
  }

  /** Waits for every part and makes the object of them. */
  async complete(): Promise<void> {
    const parts = await Promise.all(this.#sent);
    const { sdk, client } = this.bucket;
    await client.send(
      new sdk.CompleteMultipartUploadCommand({
        ...this.#name(),
        UploadId: await this.#begun(),
        MultipartUpload: { Parts: parts },
      }),
    );
  }

  /** Ends what is being sent, and resolves when S3 has forgotten the parts or could not be told; a sweep finds those. */
  async forget(): Promise<void> {
    this.#abandon.abort();
    // A part that arrives after the upload was ended would stay, and cost.
    await Promise.allSettled(this.#sent);
    const { sdk, client } = this.bucket;
    try {
      const UploadId = await this.#uploadId;
      if (UploadId) await client.send(new sdk.AbortMultipartUploadCommand({ ...this.#name(), UploadId }));
    } catch {
      // Never begun, or out of reach.
    }
  }

  async #sendAs(PartNumber: number, Body: Buffer): Promise<CompletedPart> {
    if (PartNumber > MAX_PARTS) throw new Error(`an object in S3 has ${MAX_PARTS} parts at most`);
    const { sdk, client } = this.bucket;
    const UploadId = await this.#begun();
    const part = new sdk.UploadPartCommand({ ...this.#name(), UploadId, PartNumber, Body });
    const { ETag } = await client.send(part, { abortSignal: this.#abandon.signal });
    if (!ETag) throw new Error('S3 has taken a part without an ETag');
    return { PartNumber, ETag };
  }

  /** Begun whether it is given up meanwhile or not: only an upload whose id is known can be ended. */
  #begun(): Promise<string> {
    this.#uploadId ??= (async () => {
      const { sdk, client } = this.bucket;
      const { UploadId } = await client.send(
        new sdk.CreateMultipartUploadCommand({ ...this.#name(), ContentType: this.object.contentType }),
      );
      if (!UploadId) throw new Error('S3 has begun an upload without an id');
      return UploadId;
    })();
    return this.#uploadId;
  }

  #name(): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: this.object.key };
  }
}
