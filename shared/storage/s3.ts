import type { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, MultipartUpload } from '@aws-sdk/client-s3';
import type { S3Location } from '../config/storage-location.js';
import { type Bucket, createBucketClient, type S3Timeouts, toS3StorageError } from './s3-bucket.js';
import { startObjectUpload } from './s3-upload.js';
import {
  assertKey,
  assertRangeWithin,
  type ByteRange,
  buildContentDisposition,
  isKey,
  MAX_LINK_SECONDS,
  type ObjectMetadata,
  type Storage,
  type Upload,
} from './storage.js';

/**
 * Timeouts for S3 to accept a connection and to start a response. The SDK makes three attempts, and
 * these timeouts apply to each attempt.
 */
const TIMEOUTS: S3Timeouts = { connectMs: 5000, responseMs: 60_000 };

/**
 * Stores objects in a bucket of Amazon S3 or of a compatible server. The operator, not a tenant,
 * sets the server's address, so the SDK may connect without the guarded client (rule `one-way-out`
 * in .dependency-cruiser.cjs). The SDK finds the credentials: AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine.
 */
export class S3Storage implements Storage {
  #bucket: Promise<Bucket> | undefined;
  /** Full keys of this process's running uploads. `discardStaleUploads` skips them. */
  readonly #uploadsInProgress = new Set<string>();

  constructor(
    private readonly location: S3Location,
    private readonly timeouts: S3Timeouts = TIMEOUTS,
  ) {}

  async create(key: string, about: ObjectMetadata): Promise<Upload> {
    const fullKey = this.#fullKey(key);
    const bucket = await this.#openBucket();
    this.#uploadsInProgress.add(fullKey);
    return startObjectUpload(bucket, {
      key: fullKey,
      ...about,
      whenDone: () => this.#uploadsInProgress.delete(fullKey),
    });
  }

  async open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined> {
    const Key = this.#fullKey(key);
    if (range) assertRangeWithin(range, Number.POSITIVE_INFINITY);
    const { sdk, client, name: Bucket } = await this.#openBucket();
    const Range = range && `bytes=${range.start}-${range.end}`;
    try {
      const response = await client.send(
        new sdk.GetObjectCommand({ Bucket, Key, ...(Range ? { Range } : {}) }),
      );
      const stream = response.Body as Readable;
      const size = Number(/\/(\d+)$/.exec(response.ContentRange ?? '')?.[1] ?? response.ContentLength);
      try {
        // If the range ends after the end of the object, S3 returns fewer bytes instead of an
        // error.
        if (range) assertRangeWithin(range, size);
        if (range && response.ContentRange === undefined)
          throw new Error('the storage does not support ranges');
      } catch (error) {
        stream.destroy();
        throw error;
      }
      return { stream, size };
    } catch (error) {
      if (error instanceof sdk.S3ServiceException) {
        if (error.name === 'NoSuchKey') return undefined;
        if (error.name === 'InvalidRange')
          throw new RangeError('the object does not have these bytes', { cause: error });
      }
      throw toS3StorageError(error);
    }
  }

  async delete(key: string): Promise<void> {
    const Key = this.#fullKey(key);
    await this.#callS3(({ sdk, client, name: Bucket }) =>
      client.send(new sdk.DeleteObjectCommand({ Bucket, Key })),
    );
  }

  async discardUploads(key: string): Promise<void> {
    const fullKey = this.#fullKey(key);
    await this.#callS3(async (bucket) => {
      for await (const { Key, UploadId } of this.#listUnfinishedUploads(fullKey))
        if (Key === fullKey && UploadId) await abortUpload(bucket, { Key, UploadId });
    });
  }

  async createLink(
    key: string,
    { fileName, contentType, seconds }: ObjectMetadata & { seconds: number },
  ): Promise<string> {
    const Key = this.#fullKey(key);
    if (!(seconds >= 1 && seconds <= MAX_LINK_SECONDS))
      throw new RangeError('a link is valid for 1 to 900 seconds');
    return this.#callS3(async ({ sdk, client, name: Bucket }) => {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      const command = new sdk.GetObjectCommand({
        Bucket,
        Key,
        ResponseContentDisposition: buildContentDisposition(fileName),
        ResponseContentType: contentType,
        ResponseCacheControl: 'no-store',
      });
      return getSignedUrl(client, command, { expiresIn: seconds });
    });
  }

  async discardStaleUploads(olderThan: Date): Promise<number> {
    return this.#callS3(async (bucket) => {
      let removed = 0;
      for await (const { Key, UploadId, Initiated } of this.#listUnfinishedUploads(this.#prefix())) {
        if (!Key || !UploadId || !Initiated || Initiated >= olderThan) continue;
        if (!this.#isOwnKey(Key) || this.#uploadsInProgress.has(Key)) continue;
        if (await abortUpload(bucket, { Key, UploadId })) removed += 1;
      }
      return removed;
    });
  }

  async *list(folder: string): AsyncGenerator<{ key: string; modifiedAt: Date }> {
    const Prefix = folder === '' ? this.#prefix() : `${this.#fullKey(folder)}/`;
    let token: string | undefined;
    do {
      const page = await this.#callS3(({ sdk, client, name: Bucket }) =>
        client.send(
          new sdk.ListObjectsV2Command({ Bucket, Prefix, ...(token ? { ContinuationToken: token } : {}) }),
        ),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (!Key || !LastModified || !this.#isOwnKey(Key)) continue;
        yield { key: Key.slice(this.#prefix().length), modifiedAt: LastModified };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token);
  }

  async *#listUnfinishedUploads(Prefix: string): AsyncGenerator<MultipartUpload> {
    const { sdk, client, name: Bucket } = await this.#openBucket();
    let markers: PageMarkers | undefined = {};
    while (markers) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...markers });
      const page: ListMultipartUploadsCommandOutput = await client.send(command);
      yield* page.Uploads ?? [];
      markers = nextPageMarkers(page);
    }
  }

  #prefix(): string {
    return this.location.prefix && `${this.location.prefix}/`;
  }

  #fullKey(key: string): string {
    assertKey(key);
    return `${this.#prefix()}${key}`;
  }

  #isOwnKey(fullKey: string): boolean {
    return fullKey.startsWith(this.#prefix()) && isKey(fullKey.slice(this.#prefix().length));
  }

  /** Loads the SDK on first use, because loading takes 250 ms and 40 MB. */
  #openBucket(): Promise<Bucket> {
    this.#bucket ??= createBucketClient(this.location, this.timeouts);
    return this.#bucket;
  }

  async #callS3<T>(work: (bucket: Bucket) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#openBucket());
    } catch (error) {
      throw toS3StorageError(error);
    }
  }
}

/** @returns false if the upload had already been completed or aborted */
async function abortUpload(
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

interface PageMarkers {
  KeyMarker?: string;
  UploadIdMarker?: string;
}

function nextPageMarkers(page: ListMultipartUploadsCommandOutput): PageMarkers | undefined {
  const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page;
  if (!IsTruncated || !NextKeyMarker) return undefined;
  return { KeyMarker: NextKeyMarker, ...(NextUploadIdMarker ? { UploadIdMarker: NextUploadIdMarker } : {}) };
}
