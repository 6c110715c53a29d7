import type { CompletedPart } from '@aws-sdk/client-s3';
import type { Bucket } from './s3-bucket.js';

/** S3 limit (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 10_000;

export interface NewObject {
  /** The object's key in the bucket, including the prefix from the settings. */
  key: string;
  contentType: string;
}

/**
 * Uploads one object in parts. The upload at S3 starts with the first part. The caller may reuse
 * the body of a part after `sendPart` has resolved, but not after `sendPart` has rejected. A failed
 * request may still use the body. `sendPart` and `complete` reject with errors of the SDK.
 */
export class S3MultipartUpload {
  readonly #sent: Promise<CompletedPart>[] = [];
  readonly #abandon = new AbortController();
  #uploadId: Promise<string> | undefined;

  constructor(
    private readonly bucket: Bucket,
    private readonly object: NewObject,
  ) {}

  get partCount(): number {
    return this.#sent.length;
  }

  /** @param body at least 5 MiB, except for the last part */
  async sendPart(body: Buffer): Promise<void> {
    const sent = this.#sendNumbered(this.#sent.length + 1, body);
    this.#sent.push(sent);
    await sent;
  }

  async complete(): Promise<void> {
    const parts = await Promise.all(this.#sent);
    const { sdk, client } = this.bucket;
    await client.send(
      new sdk.CompleteMultipartUploadCommand({
        ...this.#bucketAndKey(),
        UploadId: await this.#ensureStarted(),
        MultipartUpload: { Parts: parts },
      }),
    );
  }

  /** Discards the parts. If S3 cannot discard them now, a later sweep does. Never rejects. */
  async abort(): Promise<void> {
    this.#abandon.abort();
    // Wait for the running requests. A part that arrived after the abort would stay in S3 and cost
    // money.
    await Promise.allSettled(this.#sent);
    const { sdk, client } = this.bucket;
    try {
      const UploadId = await this.#uploadId;
      if (UploadId)
        await client.send(new sdk.AbortMultipartUploadCommand({ ...this.#bucketAndKey(), UploadId }));
    } catch {
      // The upload never started, or S3 is unreachable.
    }
  }

  async #sendNumbered(PartNumber: number, Body: Buffer): Promise<CompletedPart> {
    if (PartNumber > MAX_PARTS) throw new Error(`an S3 object has at most ${MAX_PARTS} parts`);
    const { sdk, client } = this.bucket;
    const UploadId = await this.#ensureStarted();
    const part = new sdk.UploadPartCommand({ ...this.#bucketAndKey(), UploadId, PartNumber, Body });
    const { ETag } = await client.send(part, { abortSignal: this.#abandon.signal });
    if (!ETag) throw new Error('S3 accepted a part without returning an ETag');
    return { PartNumber, ETag };
  }

  /**
   * Returns the upload's id, and starts the upload on the first call. `abort` does not interrupt
   * this request, because `abort` needs the id.
   */
  #ensureStarted(): Promise<string> {
    this.#uploadId ??= (async () => {
      const { sdk, client } = this.bucket;
      const { UploadId } = await client.send(
        new sdk.CreateMultipartUploadCommand({
          ...this.#bucketAndKey(),
          ContentType: this.object.contentType,
        }),
      );
      if (!UploadId) throw new Error('S3 started an upload without returning an id');
      return UploadId;
    })();
    return this.#uploadId;
  }

  #bucketAndKey(): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: this.object.key };
  }
}
