import { fingerprint } from '../fingerprint.js';

/**
 * Derives the idempotency key of a write from its body. A vendor repeats its first answer to a
 * known key, so other content needs another key.
 */
export function deriveKey(key: string, body: object): string {
  return `${key}-${fingerprint(body).slice(0, 8)}`;
}
