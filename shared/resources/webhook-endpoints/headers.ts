import { canonicalJson } from '../../contracts/canonical-json.js';
import { deriveKey, seal, unseal } from '../../platform/crypto.js';

/** Custom headers as they travel and are stored: their values encrypted as one, their names for showing. */
export interface SealedHeaders {
  headers_sealed: string | null;
  header_names: string[];
}

export function webhookHeadersKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'webhook-headers');
}

/** The same headers have one text, whatever the order they came in. */
export function sealHeaders(key: Buffer, headers: Record<string, string> | null): SealedHeaders {
  const header_names = Object.keys(headers ?? {}).sort();
  return { headers_sealed: header_names.length > 0 ? seal(key, canonicalJson(headers)) : null, header_names };
}

/** Names and values of sealed headers. */
export function openHeaders(key: Buffer, sealed: string | null): Record<string, string> {
  return sealed === null ? {} : (JSON.parse(unseal(key, sealed)) as Record<string, string>);
}

/** Whether two sealed texts hold the same headers. Encrypted twice, the same text looks different. */
export function isSameHeaders(key: Buffer, a: string | null, b: string | null): boolean {
  return canonicalJson(openHeaders(key, a)) === canonicalJson(openHeaders(key, b));
}
