import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from '../config/storage-location.js';
import { StorageError, type StorageFailureCode } from './storage.js';

export interface Bucket {
  sdk: typeof import('@aws-sdk/client-s3');
  client: S3Client;
  name: string;
  /** Part buffers that no upload uses now, kept for later uploads. */
  sparePartBuffers: Buffer[];
}

export interface S3Timeouts {
  connectMs: number;
  /** Time from the start of a request, whose body may have 8 MiB, to the start of its response. */
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
    // Use path-style addresses. Virtual-hosted buckets need wildcard DNS and certificates, which
    // few servers besides Amazon's have.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Send no checksum trailers, because older S3 servers reject them. TLS and the export's SHA-256
    // protect the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.responseMs,
      throwOnRequestTimeout: true,
      // 0: idle time has no limit, because the reader of an object may be slow.
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
 * The errors after which a retry may succeed: slow connections, credentials that the SDK will
 * renew, and throttling. S3 also returns NoSuchUpload if an upload was completed but the response
 * was lost.
 */
const TRANSIENT_ERRORS =
  /^(RequestTimeout|ExpiredToken|ExpiredTokenException|OperationAborted|NoSuchUpload|SlowDown)$/;

/**
 * Converts an error response from S3, or a failed connection to S3, to a StorageError. Returns any
 * other error unchanged.
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
