import type { Readable } from 'node:stream';
import { AppError, methodNotAllowed, serviceUnavailable } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { linkKeyOf, redeemLink } from '../../shared/platform/storage/link-token.js';
import {
  attachment,
  type ByteRange,
  type Storage,
  StorageError,
} from '../../shared/platform/storage/storage.js';
import { countBadCredential } from '../../shared/resources/api-keys/credential-cache.js';
import type { AnyContext, ApiMiddleware } from '../context.js';
import type { Downloads } from '../downloads.js';
import { writeError } from '../middleware/errors.js';

/** What a finished export is. */
export interface DownloadObject {
  /** Where storage has it. */
  key: string;
  fileName: string;
  contentType: string;
  /** Hexadecimal. */
  sha256: string;
  bytes: number;
}

/** Looks an export up among the tenant's own; undefined unless it is there to be fetched now. */
export type FindObject = (tenantId: string, exportId: string) => Promise<DownloadObject | undefined>;

export interface DownloadParts extends Pick<Runtime, 'config' | 'limiter' | 'logger'> {
  storage: Storage;
  downloads: Downloads;
  findObject: FindObject;
}

const PATH = /^\/downloads\/([^/]*)$/;

/** One answer for every link that opens nothing: whether there is such an export is nobody's business. */
const NOTHING = 'This link has expired or never led anywhere. Get a new one from the export (download_url).';

/**
 * @openapi
 * /downloads/{token}:
 *   get:
 *     operationId: downloadExport
 *     tags: [Exports]
 *     summary: Fetch the file of an export
 *     description: >-
 *       The link is in download_url and works for 15 minutes; no key is needed. Takes Range (one at a time) and If-Range, so that a cut download goes on where it ended; the ETag is the file's
 *       SHA-256. At most 20 downloads of an account at a time. 404 for whatever opens nothing. Files in a bucket are fetched from there; their links do not lead here.
 *     security: []
 *     parameters:
 *       - { name: Range, in: header, description: Bytes to fetch, schema: { type: string }, example: bytes=1048576- }
 *     responses:
 *       '200':
 *         description: The file
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content: { application/octet-stream: { schema: { type: string, format: binary }, example: '(a file)' } }
 *       '206':
 *         description: The bytes that Range asks for
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content: { application/octet-stream: { schema: { type: string, format: binary }, example: '(a part of it)' } }
 *       '416':
 *         description: The range begins beyond the file (`validation_error`)
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content: { application/json: { schema: { $ref: '#/components/schemas/Error' }, example: { ok: false, error: { code: validation_error, message: The file has 310422 bytes; the range begins beyond them., requestId: 0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e } } } }
 *       x-errors: [404, 429, 500, 503]
 */

/**
 * `GET /downloads/{token}`: the file of an export, for whoever has the link. It needs no key and stands before authentication; the token says
 * the tenant, and the export is read under that tenant alone. Ranges are served one at a time, so that a cut download goes on where it ended.
 */
export function exportDownloads(parts: DownloadParts): ApiMiddleware {
  const key = linkKeyOf(parts.config);
  return async (ctx, next) => {
    const { prefix } = ctx.state;
    const [path, token = ''] = PATH.exec(prefix ? ctx.path.slice(prefix.length) : '') ?? [];
    if (!path) return next();
    ctx.state.route = '/downloads/{token}';
    ctx.set('Cache-Control', 'no-store');
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed(ctx.method, ['GET']);
    const target = redeemLink(key, token);
    if (!target) {
      await countBadCredential(parts, ctx.ip);
      throw new AppError('not_found', NOTHING);
    }
    const object = await parts.findObject(target.tenantId, target.exportId);
    // Another run of the export has other bytes: a link never leads to what it was not made for.
    if (object?.sha256 !== target.sha256) throw new AppError('not_found', NOTHING);
    return serve(parts, ctx, { object, tenantId: target.tenantId });
  };
}

interface Served {
  object: DownloadObject;
  tenantId: string;
}

async function serve(parts: DownloadParts, ctx: AnyContext, { object, tenantId }: Served): Promise<void> {
  const etag = `"${object.sha256}"`;
  const asked = rangeOf(ctx, { etag, bytes: object.bytes });
  if (asked === 'none') return refuseRange(ctx, object.bytes);
  if (ctx.method === 'GET') parts.downloads.begin(ctx.res, tenantId);
  const stream = await open(parts, object, asked);
  ctx.set('Accept-Ranges', 'bytes');
  ctx.set('ETag', etag);
  ctx.set('Content-Disposition', attachment(object.fileName));
  // As it was made: nothing on the way may compress it again, or the length and the digest would be another's.
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.type = object.contentType;
  if (ctx.method === 'GET' && !ctx.res.destroyed) ctx.body = stream;
  else stream.destroy();
  ctx.status = asked ? 206 : 200;
  ctx.length = asked ? asked.end - asked.start + 1 : object.bytes;
  if (asked) ctx.set('Content-Range', `bytes ${asked.start}-${asked.end}/${object.bytes}`);
}

/** @throws {AppError} 404 when it is no longer there, 503 when storage fails */
async function open(
  { storage, logger }: DownloadParts,
  object: DownloadObject,
  range: ByteRange | undefined,
): Promise<Readable> {
  const found = await storage.open(object.key, range).catch((error: unknown) => {
    if (error instanceof RangeError) return undefined;
    if (!(error instanceof StorageError)) throw error;
    throw serviceUnavailable('The file cannot be read right now. Try again shortly.', error);
  });
  if (found?.size === object.bytes) return found.stream;
  found?.stream.destroy();
  logger.error(
    { objectKey: object.key, size: found?.size },
    'the file of a finished export is not there or another',
  );
  throw new AppError('not_found', NOTHING);
}

/**
 * The bytes that are asked for (RFC 9110, 14): undefined for all of them, 'none' for bytes beyond the end. Several ranges at once, other units and
 * what is no range are all of them, as the RFC allows; so is a range of an earlier file (If-Range).
 */
function rangeOf(
  ctx: AnyContext,
  { etag, bytes }: { etag: string; bytes: number },
): ByteRange | 'none' | undefined {
  const condition = ctx.get('If-Range');
  if (ctx.method !== 'GET' || (condition !== '' && condition !== etag)) return undefined;
  const [whole, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/i.exec(ctx.get('Range').trim()) ?? [];
  if (!whole || (first === '' && last === '')) return undefined;
  if (first === '') {
    const wanted = Math.min(Number(last), bytes);
    return wanted === 0 ? 'none' : { start: bytes - wanted, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start < bytes ? { start, end } : 'none';
}

function refuseRange(ctx: AnyContext, bytes: number): void {
  writeError(
    ctx,
    new AppError('validation_error', `The file has ${bytes} bytes; the range begins beyond them.`),
  );
  ctx.status = 416;
  ctx.set('Content-Range', `bytes */${bytes}`);
}
