import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** What signs deliveries (Standard Webhooks 1.0.0): v1 is HMAC-SHA256, v1a ed25519. */
export type SigningSecret = { scheme: 'v1'; key: Buffer } | { scheme: 'v1a'; key: KeyObject };

/** Bounds of the standard, in bytes of the key. */
const V1_BYTES = { min: 24, max: 64 };

/** What stands before the 32 bytes of an ed25519 seed in PKCS #8 (RFC 8410). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads `whsec_` + base64 of 24 to 64 bytes, or `whsk_` + base64 of a seed of 32 bytes, which its public key may follow. The key object is
 * made here, once: keep the result for as long as the secret signs.
 * @throws {Error} that does not show the secret
 */
export function parseSecret(text: string): SigningSecret {
  const [, prefix, encoded = ''] = /^(whsec|whsk)_(.*)$/s.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  // Node skips what is no base64; a secret that is not what it looks like must not sign.
  if (!prefix || bytes.toString('base64') !== encoded) throw new Error('not a signing secret');
  return prefix === 'whsec'
    ? { scheme: 'v1', key: symmetricKey(bytes) }
    : { scheme: 'v1a', key: edKey(bytes) };
}

function symmetricKey(bytes: Buffer): Buffer {
  if (bytes.length < V1_BYTES.min || bytes.length > V1_BYTES.max)
    throw new Error(`a v1 secret has ${V1_BYTES.min} to ${V1_BYTES.max} bytes, not ${bytes.length}`);
  return bytes;
}

function edKey(bytes: Buffer): KeyObject {
  if (bytes.length !== 32 && bytes.length !== 64)
    throw new Error(`a v1a secret has 32 or 64 bytes, not ${bytes.length}`);
  const der = Buffer.concat([ED25519_HEAD, bytes.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  if (bytes.length === 64 && !bytes.subarray(32).equals(Buffer.from(x, 'base64url')))
    throw new Error('the halves of this v1a secret do not belong together');
  return key;
}

export interface Signed {
  /** `webhook-id`; holds no full stop, so that no other content has the same signature. */
  id: string;
  /** `webhook-timestamp`: of this attempt, whole seconds. */
  timestampSeconds: number;
  /** The very bytes that are sent; a text is sent as UTF-8. */
  body: string | Buffer;
  /** All that sign now: during a rotation the new one first, then the old. */
  secrets: readonly SigningSecret[];
}

/** The value of `webhook-signature`: one signature of `id.timestamp.body` for each secret. */
export function signatureHeader({ id, timestampSeconds, body, secrets }: Signed): string {
  const head = `${id}.${timestampSeconds}.`;
  // ed25519 takes its content in one piece, which is made once for all keys; HMAC takes the body as it lies.
  let content: Buffer | undefined;
  const signatures = secrets.map(({ scheme, key }) => {
    if (scheme === 'v1') return `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`;
    content ??= Buffer.concat([Buffer.from(head), typeof body === 'string' ? Buffer.from(body) : body]);
    return `v1a,${sign(null, content, key).toString('base64')}`;
  });
  return signatures.join(' ');
}
