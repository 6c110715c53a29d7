import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from '../config/storage-location.js';
import { StorageError, type StorageFailureCode } from './storage.js';

/** A bucket and the client to access it. */
export interface Bucket {
  sdk: typeof import('@aws-sdk/client-s3');
  client: S3Client;
  name: string;
  /** Part buffers that no upload currently uses. */
  sparePartBuffers: Buffer[];
}

export interface S3Timeouts {
  /** Time limit for establishing a connection. */
  connectMs: number;
  /**
   * Time limit from the start of a request, which may carry 8 MiB, to the start of its response.
   */
  responseMs: number;
}

/** Loads the SDK and creates a client. Sends nothing yet. */
export async function createBucketClient(location: S3Location, timeouts: S3Timeouts): Promise<Bucket> {
  const sdk = await import('@aws-sdk/client-s3');
  const { bucket, endpoint } = location;
  // Most other S3 servers have no regions, but a signature must contain one.
  const region = location.region ?? (endpoint ? 'us-east-1' : undefined);
  const client = new sdk.S3Client({
    ...(region ? { region } : {}),
    // Virtual-hosted buckets need wildcard DNS and a wildcard certificate, which few other servers
    // have.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Older S3 servers reject the SDK's checksum trailers. TLS and the SHA-256 of the export
    // protect the bytes instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.responseMs,
      throwOnRequestTimeout: true,
      // No limit on idle time: the reader of an object may be slow.
      socketTimeout: 0,
    },
  });
  return { sdk, client, name: bucket, sparePartBuffers: [] };
}

const STORAGE_FULL_ERRORS =
  /^(InsufficientStorage|QuotaExceeded|StorageFull|XMinioStorageFull|XMinioAdminBucketQuotaExceeded)$/;
const CREDENTIAL_ERRORS = /^(CredentialsProviderError|TokenProviderError)$/;
const TRANSIENT_STATUSES = [408, 425, 429];
/**
 * Rejections that a retry may not meet: slow connections, credentials being renewed, a completed
 * upload whose first response was lost.
 */
const TRANSIENT_ERRORS =
  /^(RequestTimeout|ExpiredToken|ExpiredTokenException|OperationAborted|NoSuchUpload|SlowDown)$/;

/**
 * Converts an error of the SDK to a StorageError. Returns an error unchanged if it is neither a
 * response of S3 nor a failed connection.
 */
export function toS3StorageError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError || error instanceof RangeError) return error;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const failure = classifyFailure(error, $metadata?.httpStatusCode);
  const isNetworkError = $metadata !== undefined || typeof code === 'string' || error.name === 'TimeoutError';
  return failure
    ? new StorageError(failure, error)
    : isNetworkError
      ? new StorageError('storage_unavailable', error)
      : error;
}

function classifyFailure({ name, message }: Error, status = 0): StorageFailureCode | undefined {
  if (status === 507 || STORAGE_FULL_ERRORS.test(name)) return 'storage_full';
  if (CREDENTIAL_ERRORS.test(name) || message === 'Region is missing') return 'storage_refused';
  if (TRANSIENT_ERRORS.test(name)) return 'storage_unavailable';
  const isRejected = status >= 300 && status < 500 && !TRANSIENT_STATUSES.includes(status);
  return isRejected ? 'storage_refused' : undefined;
}
