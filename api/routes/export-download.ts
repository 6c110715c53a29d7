import type { Readable } from 'node:stream';
import { assertReadMethod } from '../../shared/http/request.js';
import { AppError, serviceUnavailable } from '../../shared/platform/errors.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { countBadCredential } from '../../shared/resources/api-keys/credential-cache.js';
import { deriveExportLinkKey, redeemLink } from '../../shared/storage/link-token.js';
import {
  type ByteRange,
  buildContentDisposition,
  type Storage,
  StorageError,
} from '../../shared/storage/storage.js';
import { writeError } from '../middleware/errors.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import type { ActiveDownloads } from '../runtime/downloads.js';
import type { DownloadObject, FindDownloadObject } from '../runtime/export-links.js';

export interface DownloadDependencies extends Pick<Runtime, 'config' | 'limiter' | 'logger'> {
  storage: Storage;
  downloads: ActiveDownloads;
  findObject: FindDownloadObject;
}

const PATH = /^\/downloads\/([^/]*)$/;

/**
 * The text for every invalid link. It is always the same, so that the response does not reveal
 * whether an export exists.
 */
const INVALID_LINK = 'This link is invalid or has expired. Get a new one from the export (download_url).';

/**
 * @openapi
 * /downloads/{token}:
 *   get:
 *     operationId: downloadExport
 *     summary: Download the file of an export
 *     description: >-
 *       The link is in download_url and works for 15 minutes; no key is needed. Supports Range (one
 *       range per request) and If-Range, so that a client can resume an interrupted download; the
 *       ETag is the file's SHA-256. An account may run 20 downloads at a time. An expired or
 *       invalid link returns 404. Links to files in a bucket lead to the bucket, not to this route.
 *     security: []
 *     parameters:
 *       - name: Range
 *         in: header
 *         description: Bytes to download
 *         schema: { type: string }
 *         example: bytes=1048576-
 *     responses:
 *       '200':
 *         description: The file
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content:
 *           application/octet-stream:
 *             schema: { type: string, format: binary }
 *             example: '(a file)'
 *       '206':
 *         description: The requested range of bytes
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content:
 *           application/octet-stream:
 *             schema: { type: string, format: binary }
 *             example: '(a part of it)'
 *       '416':
 *         description: The range begins beyond the end of the file (`validation_error`)
 *         headers: { X-Request-Id: { $ref: '#/components/headers/XRequestId' } }
 *         content:
 *           application/json:
 *             schema: { $ref: '#/components/schemas/Error' }
 *             example:
 *               ok: false
 *               error:
 *                 code: validation_error
 *                 message: The file has 310422 bytes; the range begins beyond them.
 *                 requestId: 0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e
 *     x-errors: [500, 503]
 *     tags: [Exports]
 */

/**
 * Handles `GET /downloads/{token}`, which sends the file of an export to any client that has the
 * link. The route needs no key and runs before authentication. The signed token names the tenant,
 * so the link opens no export of another tenant. A client can resume a download by requesting one
 * range of bytes.
 */
export function exportDownloadRoute(parts: DownloadDependencies): ApiMiddleware {
  const key = deriveExportLinkKey(parts.config);
  return async (ctx, next) => {
    const { prefix } = ctx.state;
    const [path, token = ''] = PATH.exec(prefix ? ctx.path.slice(prefix.length) : '') ?? [];
    if (!path) return next();
    ctx.state.route = '/downloads/{token}';
    ctx.set('Cache-Control', 'no-store');
    assertReadMethod(ctx.method);
    const target = redeemLink(key, token);
    if (!target) {
      await countBadCredential(parts, ctx.ip);
      throw new AppError('not_found', INVALID_LINK);
    }
    const object = await parts.findObject(target.tenantId, target.exportId);
    // A link opens only the file for which it was made. A later run of the same export writes a
    // different file.
    if (object?.sha256 !== target.sha256) throw new AppError('not_found', INVALID_LINK);
    return sendFile(parts, ctx, { object, tenantId: target.tenantId });
  };
}

interface DownloadTarget {
  object: DownloadObject;
  tenantId: string;
}

async function sendFile(
  parts: DownloadDependencies,
  ctx: ApiContext,
  { object, tenantId }: DownloadTarget,
): Promise<void> {
  const etag = `"${object.sha256}"`;
  const range = parseRange(ctx, { etag, bytes: object.bytes });
  if (range === 'none') return refuseRange(ctx, object.bytes);
  if (ctx.method === 'GET') parts.downloads.track(ctx.res, tenantId);
  const stream = await openFile(parts, object, range);
  ctx.set('Accept-Ranges', 'bytes');
  ctx.set('ETag', etag);
  ctx.set('Content-Disposition', buildContentDisposition(object.fileName));
  // `no-transform` forbids proxies to compress the file, which would change its length and digest.
  ctx.set('Cache-Control', 'no-store, no-transform');
  ctx.type = object.contentType;
  if (ctx.method === 'GET' && !ctx.res.destroyed) ctx.body = stream;
  else stream.destroy();
  ctx.status = range ? 206 : 200;
  ctx.length = range ? range.end - range.start + 1 : object.bytes;
  if (range) ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${object.bytes}`);
}

/** @throws {AppError} 404 when the file is gone or incomplete, 503 when storage fails */
async function openFile(
  { storage, logger }: DownloadDependencies,
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
    'the file of a completed export is missing or has another size',
  );
  throw new AppError('not_found', INVALID_LINK);
}

/**
 * Returns the requested range (RFC 9110 §14). Returns undefined for the whole file, and 'none' if
 * the range contains no byte of the file. The client gets the whole file for several ranges,
 * another unit or a malformed header, as the RFC allows. It also gets the whole file if the header
 * If-Range names another file.
 */
function parseRange(
  ctx: ApiContext,
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

function refuseRange(ctx: ApiContext, bytes: number): void {
  writeError(
    ctx,
    new AppError('validation_error', `The file has ${bytes} bytes; the range begins beyond them.`),
  );
  ctx.status = 416;
  ctx.set('Content-Range', `bytes */${bytes}`);
}
