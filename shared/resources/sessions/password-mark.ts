import { sha256 } from '../../platform/crypto.js';

/**
 * Returns the mark of a person's password: the SHA-256 of the stored hash, in hex. If the mark
 * differs, the password has changed in between.
 */
export function markPassword({ password_hash: hash }: { password_hash: string }): string {
  return sha256(hash).toString('hex');
}
