import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { crc32 } from 'node:zlib';
import { formatUuid } from './ids.js';

/**
 * Returns the SHA-256 of a text. Sufficient for credentials of 256 random bits (OWASP ASVS 6.5.2).
 * Never use this hash for passwords.
 */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Returns the same UUID for the same parts, and a different UUID for different parts. */
export function deriveUuid(parts: readonly unknown[]): string {
  return formatUuid(sha256(JSON.stringify(parts)));
}

export function hmacSha256(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** Derives a 32-byte key from the SECRET_KEY (HKDF, RFC 5869). Each purpose has its own key. */
export function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, 'tow-dispatch', purpose, 32));
}

/** Encrypts a secret for storage: AES-256-GCM, `v1.<nonce>.<tag>.<ciphertext>` in base64url. */
export function seal(key: Buffer, plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return ['v1', nonce, cipher.getAuthTag(), body]
    .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
    .join('.');
}

/** @throws {Error} if the text was not sealed with this key */
export function unseal(key: Buffer, sealed: string): string {
  const [version, nonce, tag, body] = sealed.split('.');
  if (version !== 'v1' || !nonce || !tag || body === undefined) throw new Error('not a sealed value');
  // Without authTagLength Node accepts a four-byte tag, which an attacker can guess.
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
    authTagLength: 16,
  });
  decipher.setAuthTag(Buffer.from(tag, 'base64url'));
  return decipher.update(body, 'base64url', 'utf8') + decipher.final('utf8');
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes bytes as big-endian base62, left-padded to `length` characters. */
export function encodeBase62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let out = '';
  while (value > 0n) {
    out = BASE62[Number(value % 62n)] + out;
    value /= 62n;
  }
  return out.padStart(length, '0');
}

/**
 * Returns the CRC-32 of a text in base62. Credentials end with this checksum, so that the API
 * recognizes a mistyped credential without a query.
 */
export function computeChecksum62(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return encodeBase62(bytes, 6);
}

// OWASP's minimum for scrypt. Each hash takes 128 MiB, so callers must limit concurrency.
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };

function scryptAsync(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    scrypt(password, salt, 32, SCRYPT, (error, key) => (error ? reject(error) : resolve(key))),
  );
}

/**
 * A hash that no password matches. Verifying a password against this hash takes the usual time, so
 * timing does not reveal whether a user exists.
 */
export const UNUSABLE_PASSWORD_HASH = `scrypt$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(32).toString('base64url')}`;

/** Returns `scrypt$<salt>$<hash>`, with salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await scryptAsync(password, salt);
  return `scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** True if the password matches the stored hash. Compares in constant time. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, salt, hash] = stored.split('$');
  if (!salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64url');
  return timingSafeEqual(await scryptAsync(password, Buffer.from(salt, 'base64url')), expected);
}
