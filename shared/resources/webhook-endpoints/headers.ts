import { toCanonicalJson } from '../../contracts/json/canonical-json.js';
import { deriveKey, seal, unseal } from '../../platform/crypto.js';

/**
 * An endpoint's custom headers, as commands and rows contain them. One ciphertext contains all
 * names and values. The names are also stored unencrypted, because the API shows them.
 */
export interface SealedHeaders {
  headers_sealed: string | null;
  header_names: string[];
}

export function deriveWebhookHeadersKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'webhook-headers');
}

/**
 * Encrypts headers. The plain text is canonical JSON, so it does not depend on the sequence of the
 * headers.
 */
export function sealHeaders(key: Buffer, headers: Record<string, string> | null): SealedHeaders {
  const header_names = Object.keys(headers ?? {}).sort();
  return {
    headers_sealed: header_names.length > 0 ? seal(key, toCanonicalJson(headers)) : null,
    header_names,
  };
}

/** Decrypts headers into names and values. */
export function unsealHeaders(key: Buffer, sealed: string | null): Record<string, string> {
  return sealed === null ? {} : (JSON.parse(unseal(key, sealed)) as Record<string, string>);
}

/**
 * True if two ciphertexts contain the same headers. Comparing the ciphertexts is not enough,
 * because encrypting the same headers twice gives different ciphertexts.
 */
export function isSameHeaders(key: Buffer, a: string | null, b: string | null): boolean {
  return toCanonicalJson(unsealHeaders(key, a)) === toCanonicalJson(unsealHeaders(key, b));
}
