import { timingSafeEqual } from 'node:crypto';
import type { Config } from '../config.js';
import { deriveKey, hmacSha256, sha256 } from '../crypto.js';
import { MAX_LINK_SECONDS } from './storage.js';

/** What a link opens: one export of one tenant, as long as it is made of these very bytes. */
export interface LinkTarget {
  tenantId: string;
  exportId: string;
  /** Of the object, hexadecimal. */
  sha256: string;
}

const VERSION = 1;
/** Version, key id, tenant, export, seconds, digest: 73 bytes, and the 32 of the signature; 105 bytes are 140 characters without a spare bit. */
const BODY_BYTES = 1 + 4 + 16 + 16 + 4 + 32;
const TOKEN = /^[A-Za-z0-9_-]{140}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DIGEST = /^[0-9a-f]{64}$/i;

/** The key that download links are signed with. */
export function linkKeyOf({ secretKey }: Pick<Config, 'secretKey'>): Buffer {
  return deriveKey(secretKey, 'export links');
}

/**
 * The secret part of a link: whoever has it may fetch the object until then, so it is short-lived and in no log. It says tenant and export by
 * itself, signed (HMAC-SHA256), so that redeeming it is one read under that tenant.
 * @param now only tests say when it is
 * @throws {RangeError} when it would last longer than 15 minutes
 */
export function signLink(key: Buffer, target: LinkTarget & { expiresAt: Date }, now = Date.now()): string {
  const { tenantId, exportId, sha256: digest, expiresAt } = target;
  if (!UUID.test(tenantId) || !UUID.test(exportId) || !DIGEST.test(digest))
    throw new TypeError('not a target of links');
  if (!(expiresAt.getTime() <= now + MAX_LINK_SECONDS * 1000))
    throw new RangeError('a link lasts 15 minutes at most');
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32BE(Math.floor(expiresAt.getTime() / 1000));
  const ids = Buffer.from((tenantId + exportId).replaceAll('-', ''), 'hex');
  const body = Buffer.concat([head(key), ids, seconds, Buffer.from(digest, 'hex')]);
  return Buffer.concat([body, signatureOf(key, body)]).toString('base64url');
}

/** Reverses {@link signLink}; undefined for what this deployment never signed, and for what has expired. */
export function redeemLink(key: Buffer, token: string, now = Date.now()): LinkTarget | undefined {
  if (!TOKEN.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const body = bytes.subarray(0, BODY_BYTES);
  if (!timingSafeEqual(bytes.subarray(BODY_BYTES), signatureOf(key, body))) return undefined;
  // A later version may sign other things with the same key.
  if (!body.subarray(0, 5).equals(head(key)) || now >= body.readUInt32BE(37) * 1000) return undefined;
  return {
    tenantId: uuidOf(body.subarray(5, 21)),
    exportId: uuidOf(body.subarray(21, 37)),
    sha256: body.subarray(41).toString('hex'),
  };
}

/** Version and the id of the key: which secret signed it, without telling anything of it. */
function head(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([VERSION]), sha256(`id ${key.toString('hex')}`).subarray(0, 4)]);
}

function signatureOf(key: Buffer, body: Buffer): Buffer {
  return hmacSha256(key, body.toString('base64url'));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
