import type { IncomingMessage } from 'node:http';
import type Joi from 'joi';
import { koaBody } from 'koa-body';
import { findTextProblems, parseStrictJson } from '../../shared/contracts/json/strict-json.js';
import { createValidationError, validateAndReportUnknown } from '../../shared/contracts/schemas/validate.js';
import { MAX_BODY_BYTES } from '../../shared/http/request.js';
import { AppError, type ErrorCode } from '../../shared/platform/errors.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { reportUnknownNames } from './warnings.js';

const JSON_TYPES = ['application/json', 'application/*+json'];

/**
 * Returns a function that reads a body of these media types as bytes. A plain body is collected
 * directly. koa-body reads all other bodies, because it limits and decompresses them. koa-body
 * decodes bodies as latin1, which keeps every byte, so the strict JSON parser can later reject
 * invalid UTF-8.
 */
function createByteReader(types: readonly string[], maxBytes: number): (ctx: ApiContext) => Promise<Buffer> {
  const read = koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [...types],
    textLimit: maxBytes,
    encoding: 'latin1',
    parsedMethods: ['POST', 'PATCH', 'PUT', 'DELETE'] as never[],
    onError: (error) => {
      throw toBodyError(error, maxBytes);
    },
  }) as unknown as ApiMiddleware;
  return async (ctx) => {
    if (isPlainBody(ctx, maxBytes)) return readPlainBytes(ctx.req);
    await Promise.race([read(ctx, async () => undefined), rejectWhenAborted(ctx.req)]);
    const text: unknown = (ctx.request as { body?: unknown }).body;
    return Buffer.from(typeof text === 'string' ? text : '', 'latin1');
  };
}

/**
 * Rejects when the client closes the connection before its body is complete. koa-body does not
 * notice this while it decompresses, and would wait for ever.
 */
function rejectWhenAborted(request: IncomingMessage): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () => reject(createUnreadableError(undefined));
    if (request.destroyed && !request.readableEnded) refuse();
    else request.once('close', () => request.readableEnded || refuse());
  });
}

/** True if the body is not compressed, and its announced length is within the limit. */
function isPlainBody({ headers }: ApiContext, maxBytes: number): boolean {
  const length = Number(headers['content-length']);
  const isEncoded = headers['content-encoding'] !== undefined || headers['transfer-encoding'] !== undefined;
  return !isEncoded && length > 0 && length <= maxBytes;
}

/**
 * Collects the bytes of a body with an announced length, several times faster than koa-body. Node's
 * parser ends the body at the announced length.
 */
export function readPlainBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const refuse = (error?: Error) => reject(createUnreadableError(error));
    // The client may have closed the connection while the key was looked up.
    if (!request.readable) return refuse();
    let body: Buffer = Buffer.alloc(0);
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      body = append(body, length, chunk);
      length += chunk.length;
    });
    request.once('end', () => resolve(body.subarray(0, length)));
    request.once('error', refuse);
    // If the client closes the connection early, 'close' is emitted without 'end'. After 'end',
    // creating an error would only cost time.
    request.once('close', () => request.readableEnded || refuse());
  });
}

/**
 * Returns a buffer with the first `length` bytes of `body`, followed by the chunk. Most bodies are
 * one chunk, which is returned without a copy. If a client sends single bytes, a list of chunks
 * would need hundreds of bytes for each byte.
 */
function append(body: Buffer, length: number, chunk: Buffer): Buffer {
  if (length === 0) return chunk;
  const needed = length + chunk.length;
  let target = body;
  if (needed > body.length) {
    target = Buffer.allocUnsafe(Math.max(needed, 2 * body.length));
    body.copy(target, 0, 0, length);
  }
  chunk.copy(target, length);
  return target;
}

const readJsonBytes = createByteReader(JSON_TYPES, MAX_BODY_BYTES);

export interface ParsedBody {
  value: unknown;
  bytes: number;
}

/** Reads and parses a JSON body. A missing or empty body becomes an empty object. */
export async function readBody(ctx: ApiContext): Promise<ParsedBody> {
  if (hasBody(ctx) && !ctx.is(JSON_TYPES)) {
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  }
  const bytes = await readJsonBytes(ctx);
  if (bytes.length === 0) return { value: {}, bytes: 0 };
  const parsed = parseStrictJson(bytes);
  if (parsed.ok) return { value: parsed.value, bytes: bytes.length };
  const textErrors = findTextProblems(parsed.problems);
  if (textErrors) throw createValidationError(textErrors.map((error) => ({ ...error })));
  const [first] = parsed.problems;
  throw new AppError('invalid_json', first?.message ?? 'The body is not valid JSON.', {
    details: parsed.problems.map((error) => ({ ...error })),
  });
}

/**
 * Reads a JSON body and checks it. For routes without a command, and for checks before a command.
 */
export async function readInput<T>(ctx: ApiContext, schema: Joi.ObjectSchema): Promise<T> {
  const { value } = await readBody(ctx);
  return validateAndReportUnknown<T>(schema, value, (names) => reportUnknownNames(ctx, names));
}

/**
 * Reads a body other than JSON, such as an image, as bytes.
 * @param types the accepted media types; a body of another type gets a 415
 */
export function createRawBodyReader(
  types: readonly string[],
  maxBytes: number,
): (ctx: ApiContext) => Promise<Buffer> {
  const readBytes = createByteReader(types, maxBytes);
  return async (ctx) => {
    if (!ctx.is([...types]))
      throw new AppError('unsupported_media_type', `Send the body as ${types.join(' or ')}.`);
    return readBytes(ctx);
  };
}

function hasBody(ctx: ApiContext): boolean {
  return ctx.get('Transfer-Encoding') !== '' || Number(ctx.get('Content-Length') || 0) > 0;
}

/** Converts an error from reading or decompressing the body to an AppError. */
function toBodyError(
  error: Error & { type?: string; status?: number; code?: string },
  maxBytes: number,
): AppError {
  const createError = (code: ErrorCode, message: string) => new AppError(code, message, { cause: error });
  if (error.type === 'entity.too.large' || error.status === 413) {
    return createError('payload_too_large', `The body is larger than ${maxBytes} bytes.`);
  }
  if (error.status === 415 || error.type === 'encoding.unsupported') {
    return createError(
      'unsupported_media_type',
      'This Content-Encoding is not supported. Send the body uncompressed or with gzip.',
    );
  }
  if (error.code?.startsWith('Z_') || error.status === 400) return createUnreadableError(error);
  return createError('internal_error', 'The body could not be read.');
}

function createUnreadableError(cause: Error | undefined): AppError {
  const message = 'The body could not be read: it is truncated or its compression is invalid.';
  return new AppError('invalid_json', message, { cause });
}
