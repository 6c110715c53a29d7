import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{80}$/;

/**
 * Encrypts the ids of a tenant and of a record into the secret part of a link. Without the key, a
 * client can neither forge a link nor learn an id from a link. The API reads the record under the
 * tenant in the token, so no table has to be readable across tenants.
 */
export function sealIds(key: Buffer, tenantId: string, id: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const plain = Buffer.from((tenantId + id).replaceAll('-', ''), 'hex');
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/**
 * Decrypts a token of {@link sealIds}. Returns undefined for a token that was not sealed with this
 * key.
 */
export function openIds(key: Buffer, token: string): { tenantId: string; id: string } | undefined {
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
      id: formatUuid(plain.subarray(ID_BYTES)),
    };
  } catch {
    // The token is forged, mistyped, or sealed with an earlier SECRET_KEY.
    return undefined;
  }
}

function formatUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
