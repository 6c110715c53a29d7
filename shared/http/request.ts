import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/config.js';
import { AppError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';

/**
 * The maximum size of a JSON body, before and after decompression (docs/decisions.md §5, Limits).
 */
export const MAX_BODY_BYTES = 1024 * 1024;
/** The audit log stores at most this much of a client's User-Agent. */
const MAX_USER_AGENT_CHARS = 200;
/** A client's request id is kept if it is safe in a header and a log (docs/decisions.md §5). */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

export interface RequestIds {
  /** The service's own id of the request, and also of its command, audit entry and operation. */
  id: string;
  /** The client's X-Request-Id, or `id` if the header is missing or unsafe. */
  requestId: string;
}

/** Returns the ids of a request. Also sets the headers that every response has. */
export function identifyRequest(request: IncomingMessage, response: ServerResponse): RequestIds {
  const id = newId();
  const sentId = readHeader(request, 'x-request-id') ?? '';
  const requestId = SAFE_REQUEST_ID.test(sentId) ? sentId : id;
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  return { id, requestId };
}

/** @param name must be in lower case */
export function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export function readPath({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string;
}

/**
 * Returns the client's IP address, or null if the connection is already closed. Behind a trusted
 * proxy, this is the last address in X-Forwarded-For, because the proxy added it. The client could
 * forge all earlier addresses.
 */
export function readClientAddress(
  request: IncomingMessage,
  { trustProxy }: Pick<Config, 'trustProxy'>,
): string | null {
  const forwarded = trustProxy ? readHeader(request, 'x-forwarded-for') : undefined;
  return forwarded?.split(',').at(-1)?.trim() || (request.socket.remoteAddress ?? null);
}

/** Returns the User-Agent, truncated for the audit log, or null if the client sent none. */
export function readUserAgent(request: IncomingMessage): string | null {
  return readHeader(request, 'user-agent')?.slice(0, MAX_USER_AGENT_CHARS) || null;
}

/** @param allowed lists the methods that the route supports */
export function methodNotAllowed(method: string | undefined, allowed: string[]): AppError {
  return new AppError('method_not_allowed', `${method} is not possible here; use ${allowed.join(' or ')}.`, {
    headers: { Allow: allowed.join(', ') },
  });
}

/** @throws {AppError} 405 for any method but GET and HEAD */
export function assertReadMethod(method: string | undefined): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ['GET']);
}
