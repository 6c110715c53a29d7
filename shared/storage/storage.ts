import type { Readable, Writable } from 'node:stream';

/** The metadata that a download sends with an object. */
export interface ObjectMetadata {
  contentType: string;
  /** The file name for saving, such as `invoices-2026-11-22.csv.gz`. */
  fileName: string;
}

/** A byte range of an object. `start` and `end` are inclusive and count from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Stores large files as objects under keys such as `<tenant>/<export>/<attempt>`. Each segment of a
 * key starts with a letter or digit and contains only letters, digits, `.`, `_` and `-`. A key
 * therefore cannot escape the storage root. Every method rejects with a {@link StorageError} when
 * storage fails, and within minutes when storage does not respond.
 */
export interface Storage {
  /**
   * Starts an object. The key has no object until `commit`; a process that dies before `commit`
   * leaves no readable object.
   */
  create(key: string, about: ObjectMetadata): Promise<Upload>;
  /**
   * Opens an object. `size` is the size of the whole object. A caller that stops reading must
   * destroy the stream.
   * @returns undefined when the object does not exist
   * @throws {RangeError} when the range is not within the object
   */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  /** Deletes an object. A missing object is not an error. */
  delete(key: string): Promise<void>;
  /**
   * Creates a link through which storage itself serves the object for `seconds` (at most 900).
   * Returns undefined when the API must serve it. Does not check that the object exists.
   */
  createLink(key: string, about: ObjectMetadata & { seconds: number }): Promise<string | undefined>;
  /**
   * Deletes unfinished uploads of a key. A process that continues such an upload gets an error. Not
   * for uploads of this process.
   */
  discardUploads(key: string): Promise<void>;
  /**
   * Deletes unfinished uploads and nothing else. It cannot detect whether another process still
   * runs an upload, so `olderThan` must lie further back than the longest upload takes.
   * @returns the number of deleted uploads
   */
  discardStaleUploads(olderThan: Date): Promise<number>;
  /**
   * Lists every object, unsorted.
   * @param folder leading segments of the keys; empty for all objects
   */
  list(folder: string): AsyncIterable<{ key: string; modifiedAt: Date }>;
}

/**
 * An object that does not exist yet. The caller that created it calls `commit` or `abort`; `abort`
 * after either does nothing.
 */
export interface Upload {
  /**
   * Accepts the bytes, with back-pressure. Ending the stream does not create the object; only
   * `commit` does. `commit` rejects with any error of the stream.
   */
  readonly stream: Writable;
  /** Bytes written so far. */
  readonly bytes: number;
  /**
   * Ends the stream if it is still open, and resolves when the object is stored durably.
   * @returns the size and the SHA-256 of the bytes, in hexadecimal
   * @throws the error that interrupted the stream, or {@link StorageError}; no object exists then
   */
  commit(): Promise<{ bytes: number; sha256: string }>;
  abort(): Promise<void>;
}

/**
 * storage_full: no space left. storage_refused: someone must change a setting or a permission.
 * storage_unavailable: a retry may succeed.
 */
export type StorageFailureCode = 'storage_full' | 'storage_refused' | 'storage_unavailable';

const FAILURE_MESSAGES: Record<StorageFailureCode, string> = {
  storage_full: 'The storage is full.',
  storage_refused: 'Storage denied access or was not found.',
  storage_unavailable: 'The storage cannot be reached or does not respond.',
};

/** A failure of storage. Anyone may see the message; the cause holds the details. */
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

/**
 * Whether a text is a valid key: no `..`, no hidden file, no absolute path, nothing that needs
 * escaping.
 */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY_PATTERN.test(text);
}

/** @throws {TypeError} when the text is not a valid key */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError('invalid storage key');
}

/** @throws {RangeError} when the range is not within an object of this size */
export function assertRangeWithin({ start, end }: ByteRange, size: number): void {
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end < size;
  if (!isWithin) throw new RangeError(`an object of ${size} bytes has no bytes ${start}-${end}`);
}

/** Content-Disposition header for a download. The file name is reduced to ASCII (RFC 6266). */
export function buildContentDisposition(fileName: string): string {
  return `attachment; filename="${fileName.replace(/[^\w.-]+/g, '_') || 'file'}"`;
}

/** Maximum validity of a link, in seconds. */
export const MAX_LINK_SECONDS = 900;
