import type { Config } from '../../config/config.js';
import { deriveKey, encodeBase62, hmacSha256, sha256 } from '../../platform/crypto.js';

/** The purpose of a mailed link. It is also the name of the dashboard page that the link opens. */
export type LinkKind = 'invitation' | 'password-reset' | 'verify';

const SHAPE = /^[0-9A-Za-z]{43}$/;

/** Returns the key from which the tokens of mailed links are computed. */
export function deriveAccessLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'access links');
}

/**
 * Computes the token of a record's link: 256 bits that cannot be predicted without the key. The
 * worker that sends the mail computes the token again. PostgreSQL therefore stores only its hash.
 */
export function computeLinkToken(key: Buffer, kind: LinkKind, id: string): string {
  return encodeBase62(hmacSha256(key, `${kind} ${id}`), 43);
}

/** Returns the hash of a token, in hex, as the tables store it. */
export function hashLinkToken(token: string): string {
  return sha256(token).toString('hex');
}

/** True if the text has the form of a token. A text of another form needs no database query. */
export function isLinkToken(text: string): boolean {
  return SHAPE.test(text);
}

export function buildAccessLink(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  kind: LinkKind,
  token: string,
): string {
  return `${publicUrl}/app/${kind}/${token}`;
}
