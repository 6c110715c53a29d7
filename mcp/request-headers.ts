import type { IncomingMessage } from 'node:http';

/** As the REST API takes them. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

export function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The client's own X-Request-Id; undefined when it has none that is safe in a header and a log (decisions 5). */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const own = headerOf(request, 'x-request-id');
  return own && SAFE_REQUEST_ID.test(own) ? own : undefined;
}
