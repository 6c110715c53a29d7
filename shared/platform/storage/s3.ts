import type { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, MultipartUpload } from '@aws-sdk/client-s3';
import type { S3Location } from './location.js';
import { type Bucket, reachBucket, type S3Timeouts, s3Fault } from './s3-bucket.js';
import { beginObject } from './s3-upload.js';
import {
  assertKey,
  assertWithin,
  attachment,
  type ByteRange,
  isKey,
  MAX_LINK_SECONDS,
  type ObjectAbout,
  type Storage,
  type Upload,
} from './storage.js';

/** How long S3 may take to accept a connection, and to begin an answer, in ms. The SDK asks three times. */
const TIMEOUTS: S3Timeouts = { connectMs: 5000, answerMs: 60_000 };

/**
 * Objects in a bucket of Amazon's S3 or of another server that speaks as it does. Its address is the operator's setting, as the mail server's is: no
 * tenant can name it, so the SDK calls it by its own means and not through the guarded client (the rule one-way-out). Credentials are found by the
 * SDK itself: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine.
 */
export class S3Storage implements Storage {
  #bucket: Promise<Bucket> | undefined;
  /** Full keys of the uploads of this process, which no sweep of its own may end. */
  readonly #underWay = new Set<string>();

  constructor(
    private readonly location: S3Location,
    private readonly timeouts: S3Timeouts = TIMEOUTS,
  ) {}

  async create(key: string, about: ObjectAbout): Promise<Upload> {
    const fullKey = this.#fullKey(key);
    const bucket = await this.#reach();
    this.#underWay.add(fullKey);
    return beginObject(bucket, {
      key: fullKey,
      ...about,
      whenDone: () => this.#underWay.delete(fullKey),
    });
  }

  async open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    const Key = this.#fullKey(key);
    if (range) assertWithin(range, Number.POSITIVE_INFINITY);
    const { sdk, client, name: Bucket } = await this.#reach();
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const answer = await client.send(
        new sdk.GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }),
      );
      const stream = answer.Body as Readable;
      const size = Number(/\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1] ?? answer.ContentLength);
      try {
        // S3 itself would answer with what there is of a range.
        if (range) assertWithin(range, size);
        if (range && answer.ContentRange === undefined) throw new Error('the storage knows no ranges');
      } catch (error) {
        stream.destroy();
        throw error;
      }
      return { stream, size };
    } catch (error) {
      if (error instanceof sdk.S3ServiceException) {
        if (error.name === 'NoSuchKey') return undefined;
        if (error.name === 'InvalidRange')
          throw new RangeError('no such bytes in the object', { cause: error });
      }
      throw s3Fault(error);
    }
  }

  async delete(key: string): Promise<void> {
    const Key = this.#fullKey(key);
    await this.#call(({ sdk, client, name: Bucket }) =>
      client.send(new sdk.DeleteObjectCommand({ Bucket, Key })),
    );
  }

  async abandon(key: string): Promise<void> {
    const fullKey = this.#fullKey(key);
    await this.#call(async (bucket) => {
      for await (const { Key, UploadId } of this.#uploads(fullKey))
        if (Key === fullKey && UploadId) await endUpload(bucket, { Key, UploadId });
    });
  }

  async link(
    key: string,
    { fileName, contentType, seconds }: ObjectAbout & { seconds: number },
  ): Promise<string> {
    const Key = this.#fullKey(key);
    if (!(seconds >= 1 && seconds <= MAX_LINK_SECONDS)) throw new RangeError('a link lasts 1 to 900 seconds');
    return this.#call(async ({ sdk, client, name: Bucket }) => {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const command = new sdk.GetObjectCommand({
        Bucket,
        Key,
        ResponseContentDisposition: attachment(fileName),
        ResponseContentType: contentType,
        ResponseCacheControl: 'no-store',
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    });
  }

  async sweep(olderThan: Date): Promise<number> {
    return this.#call(async (bucket) => {
      let removed = 0;
      for await (const { Key, UploadId, Initiated } of this.#uploads(this.#prefix())) {
        if (!Key || !UploadId || !Initiated || Initiated >= olderThan) continue;
        if (!this.#isOurs(Key) || this.#underWay.has(Key)) continue;
        if (await endUpload(bucket, { Key, UploadId })) removed += 1;
      }
      return removed;
    });
  }

  async *list(folder: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
    const Prefix = folder === '' ? this.#prefix() : `${this.#fullKey(folder)}/`;
    let token: string | undefined;
    do {
      const page = await this.#call(({ sdk, client, name: Bucket }) =>
        client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix, ...(token ? { ContinuationToken: token } : {}) }),
        ),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (!Key || !LastModified || !this.#isOurs(Key)) continue;
        yield { key: Key.slice(this.#prefix().length), modifiedAt: LastModified };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token);
  }

  /** Every multipart upload that is not finished, of keys that begin so. */
  async *#uploads(Prefix: string): AsyncGenerator<MultipartUpload> {
    const { sdk, client, name: Bucket } = await this.#reach();
    let marks: Marks | undefined = {};
    while (marks) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...marks });
      const page: ListMultipartUploadsCommandOutput = await client.send(command);
      yield* page.Uploads ?? [];
      marks = marksAfter(page);
    }
  }

  #prefix(): string {
    return this.location.prefix && `${this.location.prefix}/`;
  }

  #fullKey(key: string): string {
    assertKey(key);
    return `${this.#prefix()}${key}`;
  }

  #isOurs(fullKey: string): boolean {
    return fullKey.startsWith(this.#prefix()) && isKey(fullKey.slice(this.#prefix().length));
  }

  /** The SDK is loaded by whoever uses S3, and not before: it takes a quarter of a second and 40 MB. */
  #reach(): Promise<Bucket> {
    this.#bucket ??= reachBucket(this.location, this.timeouts);
    return this.#bucket;
  }

  async #call<T>(work: (bucket: Bucket) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#reach());
    } catch (error) {
      throw s3Fault(error);
    }
  }
}

/** @returns false: it was finished or ended meanwhile */
async function endUpload(
  { sdk, client, name: Bucket }: Bucket,
  upload: { Key: string; UploadId: string },
): Promise<boolean> {
  try {
    await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, ...upload }));
    return true;
  } catch (error) {
    if (error instanceof sdk.S3ServiceException && error.name === 'NoSuchUpload') return false;
    throw error;
  }
}

/** Where the next page of unfinished uploads begins. */
interface Marks {
  KeyMarker?: string;
  UploadIdMarker?: string;
}

function marksAfter(page: ListMultipartUploadsCommandOutput): Marks | undefined {
  const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
  if (!IsTruncated || !NextKeyMarker) return undefined;
  return { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker ? { UploadIdMarker: NextUploadIdMarker } : {}) };
}
