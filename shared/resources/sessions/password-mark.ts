import { sha256 } from '../../platform/crypto.js';

/**
 * Returns the mark of a person's password: the SHA-256 of the stored hash, in hex. If two marks of
 * a person differ, the password has changed between them.
 */
export function markPassword({ password_hash: hash }: { password_hash: string }): string {
  return sha256(hash).toString('hex');
}
