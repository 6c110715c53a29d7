import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Config } from '../../platform/config.js';
import { deriveKey } from '../../platform/crypto.js';

/** How long the link in a message opens its invoice. */
export const LINK_DAYS = 90;

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{80}$/;

/** Which message a link came with. */
export interface LinkTarget {
  tenantId: string;
  messageId: string;
}

/** The key that links are sealed with. */
export function linkKeyOf({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'invoice links');
}

/**
 * The secret part of a link: tenant and message, sealed. Nobody can make one or learn an id from one, and it says its tenant by itself, so no table has to
 * be readable across tenants to find it. Whether it still opens anything, the message's row says.
 */
export function sealLink(key: Buffer, { tenantId, messageId }: LinkTarget): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const plain = Buffer.from((tenantId + messageId).replaceAll('-', ''), 'hex');
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/** Reverses {@link sealLink}; undefined for what this deployment never sealed. */
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
    return { tenantId: uuidOf(plain.subarray(0, ID_BYTES)), messageId: uuidOf(plain.subarray(ID_BYTES)) };
  } catch {
    // The tag does not fit: forged, mistyped, or sealed with an earlier SECRET_KEY.
    return undefined;
  }
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
