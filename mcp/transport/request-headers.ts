import type { IncomingMessage } from 'node:http';

/** The same pattern as in the REST API. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

export function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Returns the client's X-Request-Id; undefined if it is absent or unsafe in a header or log
 * (docs/decisions.md §5).
 */
export function readRequestId(request: IncomingMessage): string | undefined {
  const id = readHeader(request, 'x-request-id');
  return id && SAFE_REQUEST_ID.test(id) ? id : undefined;
}
