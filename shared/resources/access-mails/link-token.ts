import type { Config } from '../../config/config.js';
import { deriveKey, encodeBase62, hmacSha256, sha256 } from '../../platform/crypto.js';

/** What a mailed link opens; also the page of the dashboard behind the link. */
export type LinkKind = 'invitation' | 'password-reset' | 'verify';

const SHAPE = /^[0-9A-Za-z]{43}$/;

/** Returns the key from which the tokens of mailed links are computed. */
export function deriveAccessLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'access links');
}

/**
 * Computes the token of a record's link: 256 bits that nobody can predict without the key. So the
 * worker that sends the mail can compute the token again, and PostgreSQL stores only its hash.
 */
export function computeLinkToken(key: Buffer, kind: LinkKind, id: string): string {
  return encodeBase62(hmacSha256(key, `${kind} ${id}`), 43);
}

/** Returns the hash of a token, in hex, as the tables store it. */
export function hashLinkToken(token: string): string {
  return sha256(token).toString('hex');
}

/** True for a text that may be a token. Saves a query for any other text. */
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
