import type { TestResponse } from '../client.js';
import type { OpenApiNode } from './openapi-walk.js';

/**
 * Returns the parts of a response by which a client could tell two responses apart. The request id
 * is left out, because it differs in every response.
 */
export function getVisibleParts({ status, body, text, headers }: TestResponse): OpenApiNode {
  const { requestId: _own, ...error } = (body?.error ?? {}) as OpenApiNode;
  const visibleHeaders = ['location', 'x-idempotency-replay', 'content-type', 'allow', 'retry-after'].map(
    (name) => headers[name] ?? null,
  );
  return { status, visibleHeaders, body: body?.error ? { ...body, error } : text };
}
