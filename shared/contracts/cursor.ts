import { createHmac, timingSafeEqual } from 'node:crypto';
import { formatUuid, isUuid } from '../platform/ids.js';

/** The position at which a page ended: the keyset (value, id) of its last row. */
export interface CursorPosition {
  /**
   * In PostgreSQL's format (`2025-11-21 03:30:40.123456+00`) or ISO 8601, with an offset. For a
   * list with another sort, the value that sorts its last row: a text, or null.
   */
  at: string | null;
  /** A UUID. `decode` returns it in lower case. */
  id: string;
}

export interface CursorKind {
  /** True for a list with another sort than newest first. Its `at` need not be a timestamp. */
  isSorted: boolean;
}

export interface CursorCodec {
  /**
   * Encodes the position in a list that is newest first, unless `kind` says otherwise.
   * @throws RangeError if the position is not a timestamp and a UUID, or too long
   */
  encode(position: CursorPosition, binding: string, kind?: CursorKind): string;
  /** @throws InvalidCursorError if the cursor is malformed, forged, or of another list or kind */
  decode(cursor: string, binding: string, kind?: CursorKind): CursorPosition;
}

/**
 * Thrown if this deployment did not issue the cursor for this list and these filters. The error
 * does not say which check failed.
 */
export class InvalidCursorError extends Error {
  override readonly name = 'InvalidCursorError';

  constructor() {
    super('The cursor is not valid for this list and these filters');
  }
}

/** The versions of the layout: with a timestamp, with any text, and without a value. */
const TIMED = 1;
const SORTED = 2;
const WITHOUT_VALUE = 3;
const NEWEST_FIRST: CursorKind = { isSorted: false };
const ID_BYTES = 16;
const MAC_BYTES = 16;
const HEAD_BYTES = 1 + ID_BYTES;
const MIN_SECRET_BYTES = 16;
/** The signature contains the length of the payload in one byte. */
const MAX_PAYLOAD_BYTES = 255;
const MAX_CURSOR_LENGTH = Math.ceil(((MAX_PAYLOAD_BYTES + MAC_BYTES) * 4) / 3);

const DATE = /\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;
const TIME = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?/;
// PostgreSQL prints historical offsets with seconds, as in `-07:52:58`.
const OFFSET = /Z|[+-](?:0\d|1[0-5])(?::?[0-5]\d(?::[0-5]\d)?)?/;
const TIMESTAMP = new RegExp(`^${DATE.source}[ T]${TIME.source}(?:${OFFSET.source})$`);

/**
 * Creates a codec for opaque list cursors (docs/decisions.md §5). A cursor is valid only with the
 * `binding` for which it was issued: one list with its filters.
 *
 * A cursor is base64url text. Its parts are a version (1 byte), an id (16 bytes), a timestamp
 * (ASCII) or the value of another sort (UTF-8), and a signature (16 bytes). The signature is an
 * HMAC-SHA256 of the other parts and the binding. A cursor is not encrypted, because the client has
 * already seen its id and value on the page.
 *
 * @param secret the signing key, at least 16 bytes; a new key invalidates all cursors
 * @throws {RangeError} if the secret is too short
 */
export function createCursorCodec(secret: Buffer): CursorCodec {
  if (secret.length < MIN_SECRET_BYTES) {
    throw new RangeError(`A cursor secret needs at least ${MIN_SECRET_BYTES} bytes`);
  }
  return {
    encode(position, binding, kind = NEWEST_FIRST) {
      const payload = packPosition(position, kind);
      return Buffer.concat([payload, sign(secret, payload, binding)]).toString('base64url');
    },
    decode(cursor, binding, kind = NEWEST_FIRST) {
      const bytes = decodeBase64url(cursor);
      const payload = bytes.subarray(0, -MAC_BYTES);
      const isAuthentic = timingSafeEqual(bytes.subarray(-MAC_BYTES), sign(secret, payload, binding));
      if (!isAuthentic) throw new InvalidCursorError();
      return unpackPosition(payload, kind);
    },
  };
}

function sign(secret: Buffer, payload: Buffer, binding: string): Buffer {
  const mac = createHmac('sha256', secret);
  // The label makes these signatures differ from other signatures with the same key. The length
  // shows where the payload ends and the binding begins.
  mac.update('list-cursor').update(Uint8Array.of(payload.length)).update(payload);
  // Hash the UTF-16 code units. UTF-8 would turn different unpaired surrogates into the same
  // replacement character.
  mac.update(binding, 'utf16le');
  return mac.digest().subarray(0, MAC_BYTES);
}

function packPosition({ at, id }: CursorPosition, { isSorted }: CursorKind): Buffer {
  if (!isSorted && (at === null || !TIMESTAMP.test(at)))
    throw new RangeError('A cursor position needs a timestamp with an offset');
  if (!isUuid(id)) throw new RangeError('A cursor position needs a UUID');
  const version = !isSorted ? TIMED : at === null ? WITHOUT_VALUE : SORTED;
  const packedId = Buffer.from(id.replaceAll('-', ''), 'hex');
  const payload = Buffer.concat([Uint8Array.of(version), packedId, Buffer.from(at ?? '', 'utf8')]);
  if (payload.length > MAX_PAYLOAD_BYTES) throw new RangeError('The value of a cursor position is too long');
  return payload;
}

function unpackPosition(payload: Buffer, { isSorted }: CursorKind): CursorPosition {
  const [version] = payload;
  const id = formatUuid(payload.subarray(1, HEAD_BYTES));
  const at = payload.toString('utf8', HEAD_BYTES);
  // Check the values although the signature is valid. An earlier release may have signed another
  // layout, and a query uses these values.
  if (!isUuid(id)) throw new InvalidCursorError();
  if (isSorted && version === SORTED) return { at, id };
  if (isSorted && version === WITHOUT_VALUE && at === '') return { at: null, id };
  if (isSorted || version !== TIMED || !TIMESTAMP.test(at)) throw new InvalidCursorError();
  return { at, id };
}

function decodeBase64url(cursor: unknown): Buffer {
  // A repeated query parameter arrives as an array, although its type is string.
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_LENGTH) throw new InvalidCursorError();
  const bytes = Buffer.from(cursor, 'base64url');
  // Buffer ignores characters outside base64url and unused bits. Accept only the exact encoding of
  // these bytes.
  if (bytes.toString('base64url') !== cursor) throw new InvalidCursorError();
  if (bytes.length < HEAD_BYTES + MAC_BYTES) throw new InvalidCursorError();
  return bytes;
}
