import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { deriveKey } from '../../platform/crypto.js';

/** A message's link opens its invoice for this many days. */
export const LINK_DAYS = 90;

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{80}$/;

/** The message that a link was sent with. */
export interface LinkTarget {
  tenantId: string;
  messageId: string;
}

/** The key that encrypts links. */
export function deriveLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'invoice links');
}

/**
 * Encrypts tenant and message into the secret part of a link. Without the key, a client can neither
 * forge a link nor learn an id from one. The token names its own tenant, so no table has to be
 * readable across tenants to look it up. The message's row holds the link's expiry and revocation.
 */
export function sealLink(key: Buffer, { tenantId, messageId }: LinkTarget): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const plain = Buffer.from((tenantId + messageId).replaceAll('-', ''), 'hex');
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Reverses {@link sealLink}; undefined for a token that this deployment did not seal. */
export function openLink(key: Buffer, token: string): LinkTarget | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    const plain = Buffer.concat([body, decipher.final()]);
    return {
      tenantId: formatUuid(plain.subarray(0, ID_BYTES)),
      messageId: formatUuid(plain.subarray(ID_BYTES)),
    };
  } catch {
    // The tag does not match: forged, mistyped, or sealed with an earlier SECRET_KEY.
    return undefined;
  }
}

function formatUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
