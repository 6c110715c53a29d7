import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** A secret that signs webhooks by Standard Webhooks 1.0.0: v1 is HMAC-SHA256, v1a is ed25519. */
export type SigningSecret = { scheme: 'v1'; key: Buffer } | { scheme: 'v1a'; key: KeyObject };

/** The lengths in bytes that Standard Webhooks allows for a v1 key. */
const V1_BYTES = { min: 24, max: 64 };

/** The bytes before the 32-byte seed of an ed25519 key in PKCS #8 (RFC 8410). */
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Parses `whsec_` + base64 of 24 to 64 bytes, or `whsk_` + base64 of a 32-byte seed and optionally
 * its public key. Creating the key object takes time, so callers keep the result while the secret
 * is in use.
 * @throws {Error} if the text is not a valid secret; the error does not contain the secret
 */
export function parseSigningSecret(text: string): SigningSecret {
  const [, prefix, encoded = ''] = /^(whsec|whsk)_(.*)$/s.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips characters that are not base64, so encode the bytes again and compare. A damaged
  // secret must not sign.
  if (!prefix || bytes.toString('base64') !== encoded) throw new Error('not a signing secret');
  return prefix === 'whsec'
    ? { scheme: 'v1', key: parseHmacKey(bytes) }
    : { scheme: 'v1a', key: parseEd25519Key(bytes) };
}

function parseHmacKey(bytes: Buffer): Buffer {
  if (bytes.length < V1_BYTES.min || bytes.length > V1_BYTES.max)
    throw new Error(`a v1 secret has ${V1_BYTES.min} to ${V1_BYTES.max} bytes, not ${bytes.length}`);
  return bytes;
}

function parseEd25519Key(bytes: Buffer): KeyObject {
  if (bytes.length !== 32 && bytes.length !== 64)
    throw new Error(`a v1a secret has 32 or 64 bytes, not ${bytes.length}`);
  const der = Buffer.concat([ED25519_PKCS8_PREFIX, bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  if (bytes.length === 64 && !bytes.subarray(32).equals(Buffer.from(x, 'base64url')))
    throw new Error('the public key of this v1a secret does not belong to its seed');
  return key;
}

export interface SignatureInput {
  /**
   * The value of `webhook-id`. It must not contain a full stop, which separates the parts of the
   * signed text `id.timestamp.body`. Otherwise two different requests could have the same
   * signature.
   */
  id: string;
  /** The value of `webhook-timestamp`: when this attempt is made, in whole seconds since 1970. */
  timestampSeconds: number;
  /** The exact body of the request; a string is sent as UTF-8. */
  body: string | Buffer;
  /** During a rotation, the new secret comes first. */
  secrets: readonly SigningSecret[];
}

/**
 * Builds the value of `webhook-signature`: per secret, one signature of the text
 * `id.timestamp.body`.
 */
export function buildSignatureHeader({ id, timestampSeconds, body, secrets }: SignatureInput): string {
  const head = `${id}.${timestampSeconds}.`;
  // Only ed25519 needs the whole text in one buffer, so build that buffer at most once. HMAC
  // accepts the text in parts.
  let content: Buffer | undefined;
  const signatures = secrets.map(({ scheme, key }) => {
    if (scheme === 'v1') return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
    content ??= Buffer.concat([Buffer.from(head), typeof body === 'string' ? Buffer.from(body) : body]);
    return `v1a,${sign(null, content, key).toString('base64')}`;
  });
  return signatures.join(' ');
}
