import type { Readable, Writable } from 'node:stream';

/** What an object is told to whoever fetches it. */
export interface ObjectAbout {
  contentType: string;
  /** What it is saved as, such as `invoices-2026-11-22.csv.gz`. */
  fileName: string;
}

/** Bytes of an object from `start` to `end`, both included, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Where large files lie: objects under keys such as `<tenant>/<export>/<attempt>`. A key is made of segments of letters, digits, `.`, `_` and
 * `-` that begin with a letter or digit, so it leads nowhere else. Every method rejects with a {@link StorageError} when the place itself
 * fails, and within minutes when it does not answer.
 */
export interface Storage {
  /** Begins an object. Nothing is there under the key before `commit`; a process that dies in between leaves nothing that can be read. */
  create(key: string, about: ObjectAbout): Promise<Upload>;
  /**
   * The bytes of an object, whose `size` is that of all of it. Whoever stops reading destroys the stream. Undefined: not there.
   * @throws {RangeError} when the range is not within the object
   */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number } | undefined>;
  /** Removes an object; one that is not there is no error. */
  delete(key: string): Promise<void>;
  /**
   * A link to an object that storage itself serves, for so many seconds (900 at most), or undefined when the API has to serve it. Whether
   * the object is there is not looked up.
   */
  link(key: string, about: ObjectAbout & { seconds: number }): Promise<string | undefined>;
  /** Removes what was begun under a key and never finished; whoever goes on with it all the same finds it gone. Not for uploads of this process. */
  abandon(key: string): Promise<void>;
  /**
   * Removes what was begun and never finished, and touches nothing else. It cannot see whether the other process still lives: `olderThan` has to be
   * further back than the longest upload takes.
   * @returns how many were removed
   */
  sweep(olderThan: Date): Promise<number>;
  /** Every object, in no order. @param folder segments of a key that they lie under; '' is all */
  list(folder: string): AsyncIterable<{ key: string; modifiedAt: Date }>;
}

/** An object that is not there yet. Whoever began it calls `commit` or `abort`; `abort` after either does nothing. */
export interface Upload {
  /** Takes the bytes, with back-pressure. Its end is not the object's: only `commit` makes it. An error of it is an error of `commit` too. */
  readonly stream: Writable;
  /** Bytes that were taken so far. */
  readonly bytes: number;
  /**
   * Ends the stream if nobody has, and resolves once the object is there for good.
   * @returns its size and the SHA-256 of its bytes, hexadecimal
   * @throws whatever cut the stream short; {@link StorageError}. Nothing is there then.
   */
  commit(): Promise<{ bytes: number; sha256: string }>;
  abort(): Promise<void>;
}

/** storage_full: no room. storage_refused: someone has to change a setting or a right. storage_unavailable: it may work later. */
export type StorageFault = 'storage_full' | 'storage_refused' | 'storage_unavailable';

const MESSAGES: Record<StorageFault, string> = {
  storage_full: 'The storage has no room left.',
  storage_refused: 'The storage does not let us in, or is not where it is said to be.',
  storage_unavailable: 'The storage cannot be reached or does not answer.',
};

/** The place where objects lie has failed. Its message may be shown to anybody; what happened is the cause. */
export class StorageError extends Error {
  constructor(
    readonly code: StorageFault,
    cause: unknown,
  ) {
    super(MESSAGES[code], { cause });
    this.name = 'StorageError';
  }
}

const MAX_KEY_LENGTH = 500;
const KEY = /^[A-Za-z0-9][\w.-]*(\/[A-Za-z0-9][\w.-]*)*$/;

/** Whether a text is a key: no `..`, nothing hidden, nothing absolute, nothing that has to be escaped. */
export function isKey(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && KEY.test(text);
}

/** @throws {TypeError} for what is no key */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new TypeError('not a key of storage');
}

/** @throws {RangeError} for a range that is not within an object of this size */
export function assertWithin({ start, end }: ByteRange, size: number): void {
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end < size;
  if (!isWithin) throw new RangeError(`no bytes ${start}-${end} in an object of ${size}`);
}

/** Content-Disposition of a file that is to be saved; its name is made plain ASCII (RFC 6266). */
export function attachment(fileName: string): string {
  return `attachment; filename="${fileName.replace(/[^\w.-]+/g, '_') || 'file'}"`;
}

/** Longest that a link may open anything, in seconds. */
export const MAX_LINK_SECONDS = 900;
