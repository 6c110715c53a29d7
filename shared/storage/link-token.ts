import { timingSafeEqual } from 'node:crypto';
import type { Config } from '../config/config.js';
import { deriveKey, hmacSha256, sha256 } from '../platform/crypto.js';
import { formatUuid, isUuid } from '../platform/ids.js';
import { MAX_LINK_SECONDS } from './storage.js';

/**
 * The export that a link downloads. The link is valid only while the export's file has the hash
 * `sha256`.
 */
export interface LinkTarget {
  tenantId: string;
  exportId: string;
  /** SHA-256 of the object, in hexadecimal. */
  sha256: string;
}

const VERSION = 1;
/**
 * The sizes of version, key id, tenant, export, seconds and hash: 73 bytes in all. With the 32-byte
 * signature, a token has 105 bytes, which are exactly 140 base64url characters.
 */
const BODY_BYTES = 1 + 4 + 16 + 16 + 4 + 32;
const TOKEN = /^[A-Za-z0-9_-]{140}$/;
const DIGEST = /^[0-9a-f]{64}$/i;

export function deriveExportLinkKey({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'export links');
}

/**
 * Creates the token of a download link. Anyone who has the token can fetch the object until the
 * link expires, so tokens are short-lived and never logged. The token contains the signed tenant
 * id, so the API finds the export without a search across tenants.
 * @param now is set only by tests
 * @throws {RangeError} if the link would be valid for more than 15 minutes
 */
export function signLink(key: Buffer, target: LinkTarget & { expiresAt: Date }, now = Date.now()): string {
  const { tenantId, exportId, sha256: digest, expiresAt } = target;
  if (!isUuid(tenantId) || !isUuid(exportId) || !DIGEST.test(digest))
    throw new TypeError('invalid link target');
  if (!(expiresAt.getTime() <= now + MAX_LINK_SECONDS * 1000))
    throw new RangeError('a link is valid for at most 15 minutes');
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000));
  const ids = Buffer.from((tenantId + exportId).replaceAll('-', ''), 'hex');
  const body = Buffer.concat([tokenHeader(key), ids, seconds, Buffer.from(digest, 'hex')]);
  return Buffer.concat([body, computeSignature(key, body)]).toString('base64url');
}

/**
 * Returns the target of a token, or undefined if the token has expired or was not signed by this
 * deployment.
 */
export function redeemLink(key: Buffer, token: string, now = Date.now()): LinkTarget | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), computeSignature(key, body))) return undefined;
  // A different version of the product may have signed another layout with the same key.
  if (!body.subarray(0, 5).equals(tokenHeader(key)) || now >= body.readUInt32BE(37) * 1000) return undefined;
  return {
    tenantId: formatUuid(body.subarray(5, 21)),
    exportId: formatUuid(body.subarray(21, 37)),
    sha256: body.subarray(41).toString('hex'),
  };
}

/** Returns the version and the key id, which identifies the key without revealing it. */
function tokenHeader(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([VERSION]), sha256(`id ${key.toString('hex')}`).subarray(0, 4)]);
}

function computeSignature(key: Buffer, body: Buffer): Buffer {
  return hmacSha256(key, body.toString('base64url'));
}
