import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from './location.js';
import { StorageError, type StorageFault } from './storage.js';

/** A bucket with what is needed to speak to it. */
export interface Bucket {
  sdk: typeof import('@aws-sdk/client-s3');
  client: S3Client;
  name: string;
  /** Buffers of parts that no upload uses now. */
  spareParts: Buffer[];
}

export interface S3Timeouts {
  /** For a connection. */
  connectMs: number;
  /** From the beginning of a request, which may carry 8 MiB, to that of its answer. */
  answerMs: number;
}

/** Loads the SDK and makes a client; nothing is sent yet. */
export async function reachBucket(location: S3Location, timeouts: S3Timeouts): Promise<Bucket> {
  const sdk = await import('@aws-sdk/client-s3');
  const { bucket, endpoint } = location;
  // Others than Amazon mostly have no regions, but a signature has to name one.
  const region = location.region ?? (endpoint ? 'us-east-1' : undefined);
  const client = new sdk.S3Client({
    ...(region ? { region } : {}),
    // A name per bucket takes a wildcard in DNS and in the certificate, which few others have.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // The SDK's checksums in trailers are refused by servers older than they are; TLS and our own SHA-256 stand for the bytes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      requestTimeout: timeouts.answerMs,
      throwOnRequestTimeout: true,
      // A silence is allowed: whoever reads an object may be slow.
      socketTimeout: 0,
    },
  });
  return { sdk, client, name: bucket, spareParts: [] };
}

const FULL =
  /^(InsufficientStorage|QuotaExceeded|StorageFull|XMinioStorageFull|XMinioAdminBucketQuotaExceeded)$/;
const REFUSED = /^(CredentialsProviderError|TokenProviderError)$/;
const MAY_PASS = [408, 425, 429];
/** Refusals that a second try may not meet: slow lines, credentials that are renewed, an end whose first answer was lost. */
const PASSING =
  /^(RequestTimeout|ExpiredToken|ExpiredTokenException|OperationAborted|NoSuchUpload|SlowDown)$/;

/** An error of the SDK as one of storage; what is neither an answer of S3 nor a failed connection stays what it is. */
export function s3Fault(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StorageError || error instanceof RangeError) return error;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const fault = faultOf(error, $metadata?.httpStatusCode);
  const isOfTheWire = $metadata !== undefined || typeof code === 'string' || error.name === 'TimeoutError';
  return fault
    ? new StorageError(fault, error)
    : isOfTheWire
      ? new StorageError('storage_unavailable', error)
      : error;
}

function faultOf({ name, message }: Error, status = 0): StorageFault | undefined {
  if (status === 507 || FULL.test(name)) return 'storage_full';
  if (REFUSED.test(name) || message === 'Region is missing') return 'storage_refused';
  if (PASSING.test(name)) return 'storage_unavailable';
  const isRefusal = status >= 300 && status < 500 && !MAY_PASS.includes(status);
  return isRefusal ? 'storage_refused' : undefined;
}
