import type { Readable, Writable } from 'node:stream';

/** The values for the headers of a download. */
export interface ObjectMetadata {
  contentType: string;
  /** For example `invoices-2026-11-22.csv.gz`. */
  fileName: string;
}

/** `start` and `end` are inclusive and count from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Stores large files as objects under keys such as `<tenant>/<export>/<attempt>`. Each segment of a
 * key starts with a letter or digit and contains only letters, digits, `.`, `_` and `-`. A key
 * therefore cannot lead outside the storage. Every method rejects with a {@link StorageError} if
 * storage fails, and within minutes if storage does not respond.
 */
export interface Storage {
  /** Starts an upload. If the process dies before `commit`, no object exists. */
  create(key: string, about: ObjectMetadata): Promise<Upload>;
  /**
   * Opens an object, or a range of its bytes, for reading. A caller that stops reading must destroy
   * the stream.
   * @returns `size` in bytes of the whole object, also for a range; undefined if the object does
   * not exist
   * @throws {RangeError} if the range is not within the object
   */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  /** Deletes an object. A missing object is not an error. */
  delete(key: string): Promise<void>;
  /**
   * Creates a link for a download directly from storage, valid for `seconds` (at most 900). Returns
   * undefined if only the API can send the object. Does not check that the object exists.
   */
  createLink(key: string, about: ObjectMetadata & { seconds: number }): Promise<string | undefined>;
  /**
   * Deletes the unfinished uploads that other processes started for a key. If such an upload
   * continues, it fails. Must not be called while this process uploads the key.
   */
  discardUploads(key: string): Promise<void>;
  /**
   * Deletes unfinished uploads whose start (in S3) or last write (in a folder) was before
   * `olderThan`. Another process may still be uploading, so `olderThan` must lie further back than
   * the longest upload takes.
   * @returns the number of deleted uploads
   */
  discardStaleUploads(olderThan: Date): Promise<number>;
  /**
   * Lists every object, unsorted.
   * @param folder the first segments of the keys to list; empty for all objects
   */
  list(folder: string): AsyncIterable<{ key: string; modifiedAt: Date }>;
}

/**
 * An object that is being written. The caller must end the upload with `commit` or `abort`. After
 * `commit` or `abort`, a further `abort` does nothing.
 */
export interface Upload {
  /**
   * Accepts the bytes, with back-pressure. Ending the stream does not create the object. `commit`
   * rejects with any error of the stream.
   */
  readonly stream: Writable;
  readonly bytes: number;
  /**
   * Ends the stream if it is still open. Resolves when the object is stored durably.
   * @returns the number of bytes, and their SHA-256 in hexadecimal
   * @throws the error that interrupted the stream, or {@link StorageError}; no object exists then
   */
  commit(): Promise<{ bytes: number; sha256: string }>;
  abort(): Promise<void>;
}

/**
 * `storage_full`: no space is left. `storage_refused`: the operator must change a setting or a
 * permission. `storage_unavailable`: a retry may succeed.
 */
export type StorageFailureCode = 'storage_full' | 'storage_refused' | 'storage_unavailable';

const FAILURE_MESSAGES: Record<StorageFailureCode, string> = {
  storage_full: 'The storage is full.',
  storage_refused: 'Storage denied access or was not found.',
  storage_unavailable: 'The storage cannot be reached or does not respond.',
};

/** Clients may see the message, so only `cause` contains the details. */
export class StorageError extends Error {
  constructor(
    readonly code: StorageFailureCode,
    cause: unknown,
  ) {
    super(FAILURE_MESSAGES[code], { cause });
    this.name = 'StorageError';
  }
}

const MAX_KEY_LENGTH = 500;
const KEY_PATTERN = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/;

export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY_PATTERN.test(text);
}

export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError('invalid storage key');
}

export function assertRangeWithin({ start, end }: ByteRange, size: number): void {
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end < size;
  if (!isWithin) throw new RangeError(`an object of ${size} bytes has no bytes ${start}-${end}`);
}

/**
 * Builds a Content-Disposition header for a download. Reduces the file name to ASCII (RFC 6266).
 */
export function buildContentDisposition(fileName: string): string {
  return `attachment; filename="${fileName.replace(/[^\w.-]+/g, '_') || 'file'}"`;
}

export const MAX_LINK_SECONDS = 900;
