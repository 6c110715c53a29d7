import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { formatUuid } from '../platform/ids.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;

/**
 * Encrypts the ids of a tenant and of a record into the secret part of a link. Without the key, a
 * client can neither forge a link nor learn an id from a link. The API reads the record under the
 * tenant in the token, so no table has to be readable across tenants.
 */
export function sealIds(key: Buffer, tenantId: string, id: string): string {
  return encrypt(key, toBytes([tenantId, id]), randomBytes(NONCE_BYTES));
}

/**
 * Encrypts ids like {@link sealIds}, but always returns the same token for the same ids. A record
 * that shows the link therefore does not change between two reads. The nonce is derived from the
 * ids, so different plain texts never share a nonce.
 */
export function sealIdsRepeatably(key: Buffer, ...ids: string[]): string {
  const plain = toBytes(ids);
  return encrypt(key, plain, createHmac('sha256', key).update(plain).digest().subarray(0, NONCE_BYTES));
}

function toBytes(ids: readonly string[]): Buffer {
  return Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
}

function encrypt(key: Buffer, plain: Buffer, nonce: Buffer): string {
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/**
 * Decrypts a token with the ids of a tenant and a record. Returns undefined for a
 * token that was not sealed with this key.
 */
export function openIds(key: Buffer, token: string): { tenantId: string; id: string } | undefined {
  const [tenantId, id] = openAllIds(key, token, 2) ?? [];
  return tenantId !== undefined && id !== undefined ? { tenantId, id } : undefined;
}

/** Decrypts a token that contains `count` ids. */
export function openAllIds(key: Buffer, token: string, count: number): string[] | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== NONCE_BYTES + TAG_BYTES + count * ID_BYTES) return undefined;
  // Accept only the exact encoding of the bytes. Decoding ignores foreign characters and surplus
  // bits, so several texts would otherwise open the same link.
  if (bytes.toString('base64url') !== token) return undefined;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    const plain = Buffer.concat([body, decipher.final()]);
    return Array.from({ length: count }, (_, index) =>
      formatUuid(plain.subarray(index * ID_BYTES, (index + 1) * ID_BYTES)),
    );
  } catch {
    // The token is forged, mistyped, or sealed with an earlier SECRET_KEY.
    return undefined;
  }
}
