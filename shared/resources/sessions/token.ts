import { randomBytes } from 'node:crypto';
import { computeChecksum62, encodeBase62 } from '../../platform/crypto.js';

const PREFIX = 'tk_session_';
const SHAPE = /^tk_session_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/**
 * Returns a new session token. It has 256 random bits and a checksum, like an API key, but the API
 * never accepts it as an API key.
 */
export function mintSessionToken(): string {
  const body = `${PREFIX}${encodeBase62(randomBytes(32), 43)}`;
  return `${body}${computeChecksum62(body)}`;
}

/**
 * True if the text has the shape and the checksum of a session token. The check saves a database
 * lookup for malformed text.
 */
export function isWellFormedToken(text: string): boolean {
  return SHAPE.exec(text)?.[1] === computeChecksum62(text.slice(0, -6));
}
